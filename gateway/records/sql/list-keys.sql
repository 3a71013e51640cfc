-- One row is a key of the workspace $1, or the key with the prefix $2, without its hash.
select
  keys.id,
  workspaces.id as "workspaceId",
  keys.prefix,
  keys.label,
  keys.created_at as "createdAt",
  keys.last_used_at as "lastUsedAt",
  keys.revoked_at as "revokedAt"
from sightline.keys
join sightline.workspaces on workspaces.number = keys.workspace
where cast(workspaces.id as text) = $1 or keys.prefix = $2
order by keys.id
