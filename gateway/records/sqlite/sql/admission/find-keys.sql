-- One row is a known key of the list ?1 (JSON), with its place in the list, the limit of its workspace and the minute
-- that was counted last. The limit is null if the plan does not include the API. One statement for a batch costs two
-- thirds of one statement per key.
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
-- SQLite keeps the written order of a cross join: start from the few keys of the list.
cross join keys on keys.hash = asked.value
join workspaces on workspaces.number = keys.workspace
join minute_counts on minute_counts.workspace = keys.workspace
left join plans on plans.name = lower(workspaces.plan)
