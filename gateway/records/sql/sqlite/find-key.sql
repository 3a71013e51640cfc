-- One row is a known key, what its workspace may do and the minute that was counted last; the limit is null where the
-- plan does not include the API.
select
  keys.id,
  keys.workspace,
  workspaces.id,
  keys.revoked_at is not null,
  case when plans.name is not null then coalesce(workspaces.requests_per_minute, plans.requests_per_minute) end,
  minute_counts.minute,
  minute_counts.requests
from keys
join workspaces on workspaces.number = keys.workspace
join minute_counts on minute_counts.workspace = keys.workspace
left join plans on plans.name = lower(workspaces.plan)
where keys.hash = ?1
