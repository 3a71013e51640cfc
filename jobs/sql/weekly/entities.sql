-- One row is a text by which somebody was named, as published, with its number.
select distinct entity_no, entity
from spelling
order by entity_no
