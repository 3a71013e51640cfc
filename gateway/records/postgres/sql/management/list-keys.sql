-- One row is a key of a workspace, or the key with a prefix, without its hash.
with logged as (
  select key, max(used_at) as used_at
  from sightline.batch_uses, unnest(batch_uses.keys) as key
  group by key
),

final as (
  select
    keys.id,
    workspaces.id as workspace_id,
    keys.prefix,
    keys.label,
    keys.created_at,
    greatest(key_uses.last_used_at, logged.used_at) as last_used_at,
    keys.revoked_at
  from sightline.keys
  join sightline.workspaces on workspaces.number = keys.workspace
  join sightline.key_uses on key_uses.key = keys.id
  left join logged on logged.key = keys.id
)

select * from final
where workspace_id = $1::uuid or prefix = $2::text
order by created_at, id
