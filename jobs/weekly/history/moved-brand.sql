-- One row is a brand to be published that was outside the scope of a stored base: it came from another workspace.
select distinct brand_id as id
from stored_outside_run
semi join brand on brand.id = brand_id
