-- One row is an entity of the slice that JSON cannot contain as it is.
select distinct entity as text
from identified
where regexp_matches(entity, '["\\\x00-\x1F]')
