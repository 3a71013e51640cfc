-- One row is a key of a workspace, or the key with a prefix, without its hash.
with final as (
  select
    keys.id,
    workspaces.id as workspace_id,
    keys.prefix,
    keys.label,
    keys.created_at,
    key_uses.last_used_at,
    keys.revoked_at
  from keys
  join workspaces on workspaces.number = keys.workspace
  join key_uses on key_uses.key = keys.id
)
select * from final
where workspace_id = ?1 or prefix = ?2
order by created_at, id
