-- One row of `brand` is a brand to be published, one row of `competitor` or `prompt` one of its own, each numbered in
-- the order of publication.
create table brand as
select
  row_number() over (order by tracked.workspace_id, tracked.created_at, tracked.id)::integer as brand_no,
  tracked.id,
  tracked.workspace_id,
  tracked.name,
  tracked.domain,
  tracked.created_at,
  host_of(tracked.domain) as host
from tracked_brands as tracked
semi join published_workspace on published_workspace.id = tracked.workspace_id;

create table competitor as
select
  row_number() over (order by brand.brand_no, tracked.id)::integer as competitor_no,
  brand.brand_no,
  tracked.id,
  tracked.name
from tracked_competitors as tracked
inner join brand on brand.id = tracked.brand_id;

create table prompt as
select
  row_number() over (order by brand.brand_no, tracked.created_at, tracked.id)::integer as prompt_no,
  brand.brand_no,
  tracked.id,
  tracked.text,
  tracked.is_active,
  tracked.created_at
from tracked_prompts as tracked
inner join brand on brand.id = tracked.brand_id;
