-- One row is a brand to be published, numbered in the order of publication. A workspace that is retired has none, even
-- if its brands are still delivered.
select
  row_number() over (order by tracked.workspace_id, tracked.created_at, tracked.id)::integer as brand_no,
  tracked.id,
  tracked.workspace_id,
  tracked.name,
  tracked.domain,
  tracked.created_at,
  host_of(tracked.domain) as host,
  lower_case(tidy(tracked.name)) as folded_name
from tracked_brands as tracked
semi join published_workspace on published_workspace.id = tracked.workspace_id
semi join tracked_workspaces on tracked_workspaces.id = tracked.workspace_id
