-- One row of `brand` is a brand to be published, numbered in the order of publication; one row of `competitor`
-- or `prompt` is one of its own. The tracked_* tables hold the whole tracking state as of the snapshot's date.
create table brand as
select
  row_number() over (order by tracked.workspace_id, tracked.created_at, tracked.id) as brand_no,
  tracked.id,
  tracked.workspace_id,
  tracked.name,
  tracked.domain,
  tracked.created_at,
  host_of(tracked.domain) as host
from tracked_brands as tracked
semi join published_workspace on published_workspace.id = tracked.workspace_id;

create table competitor as
select brand.brand_no, tracked.id, tracked.name
from tracked_competitors as tracked
inner join brand on brand.id = tracked.brand_id;

create table prompt as
select brand.brand_no, tracked.id, tracked.text, tracked.is_active, tracked.created_at
from tracked_prompts as tracked
inner join brand on brand.id = tracked.brand_id;
