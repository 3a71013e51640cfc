-- One row is a tracked competitor of a brand to be published.
select brand_no, id::varchar as id
from competitor
order by competitor_no
