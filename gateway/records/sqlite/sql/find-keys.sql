-- One row is a known key of the list $1 (JSON), with its place in the list, the plan and own limit of its workspace, the
-- minute that was counted last (0 if none was), and whether it was not used yet in the second $2. One statement for a batch costs two
-- thirds of one statement per key.
select
  asked.key as place,
  keys.id as key_id,
  keys.workspace,
  workspaces.id as workspace_id,
  keys.revoked_at is not null as is_revoked,
  workspaces.plan,
  workspaces.requests_per_minute,
  coalesce(minute_counts.minute, 0) as minute,
  coalesce(minute_counts.requests, 0) as requests,
  coalesce(keys.last_used_at < $2, true) as is_unused
from json_each($1) as asked
-- SQLite keeps the written order of a cross join: start from the few keys of the list.
cross join keys on keys.hash = asked.value
join workspaces on workspaces.number = keys.workspace
left join minute_counts on minute_counts.workspace = keys.workspace
