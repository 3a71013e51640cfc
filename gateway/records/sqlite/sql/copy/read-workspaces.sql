-- One row is a workspace with all stored fields: its settings, and the minute that was counted last.
select
  workspaces.number,
  workspaces.id,
  workspaces.name,
  workspaces.plan,
  workspaces.requests_per_minute as "requestsPerMinute",
  minute_counts.minute,
  minute_counts.requests
from workspaces
join minute_counts on minute_counts.workspace = workspaces.number
order by workspaces.number
