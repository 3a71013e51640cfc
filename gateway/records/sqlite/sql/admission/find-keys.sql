-- One row is a known key of those asked about, its place in the list ?1 (JSON), what its workspace may do and the minute
-- that was counted last; the limit is null where the plan does not include the API. One statement for a batch costs two
-- thirds of one for each key.
select
  asked.key,
  keys.id,
  keys.workspace,
  workspaces.id,
  keys.revoked_at is not null,
  case when plans.name is not null then coalesce(workspaces.requests_per_minute, plans.requests_per_minute) end,
  minute_counts.minute,
  minute_counts.requests
from json_each(?1) as asked
-- A cross join is done in the order in which it is written: from the few that are asked about.
cross join keys on keys.hash = asked.value
join workspaces on workspaces.number = keys.workspace
join minute_counts on minute_counts.workspace = keys.workspace
left join plans on plans.name = lower(workspaces.plan)
