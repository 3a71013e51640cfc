-- One row is an entity of the slice with a character that must be escaped in JSON.
-- Needs identified.
select distinct entity as text
from identified
where regexp_matches(entity, '["\\\x00-\x1F]')
