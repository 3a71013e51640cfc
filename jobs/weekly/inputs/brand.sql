-- One row is a brand to be published, numbered in the order of publication.
select
  row_number() over (order by tracked.workspace_id, tracked.created_at, tracked.id)::integer as brand_no,
  tracked.id,
  tracked.workspace_id,
  tracked.name,
  tracked.domain,
  tracked.created_at,
  host_of(tracked.domain) as host
from tracked_brands as tracked
semi join published_workspace on published_workspace.id = tracked.workspace_id
