-- One row is a workspace with the number of its active keys: all workspaces, or only the one with the id $1.
select
  workspaces.id,
  workspaces.name,
  workspaces.plan,
  workspaces.requests_per_minute as "ownLimit",
  (
    select cast(count(*) as integer)
    from sightline.keys
    where keys.workspace = workspaces.number and keys.revoked_at is null
  ) as "activeKeys"
from sightline.workspaces
where cast($1 as text) is null or cast(workspaces.id as text) = $1
order by workspaces.id
