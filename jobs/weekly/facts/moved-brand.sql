-- One row is a brand in the scope that was outside of it when some stored fact was made: it came from another workspace.
select distinct brand_id as id
from stored_outside_run
semi join scope_brand on scope_brand.id = brand_id
