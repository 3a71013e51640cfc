-- One row is a key with all stored fields. Times are microseconds since the Unix epoch; revokedAt is null while the key
-- is active, lastUsedAt if it was never used.
with logged as (
  select key, max(used_at) as used_at
  from sightline.batch_uses, unnest(batch_uses.keys) as key
  group by key
)

select
  keys.id,
  keys.workspace,
  encode(keys.hash, 'hex') as hash,
  keys.prefix,
  keys.label,
  (extract(epoch from keys.created_at) * 1000000)::float8 as "createdAt",
  (extract(epoch from keys.revoked_at) * 1000000)::float8 as "revokedAt",
  (extract(epoch from greatest(key_uses.last_used_at, logged.used_at)) * 1000000)::float8 as "lastUsedAt"
from sightline.keys
join sightline.key_uses on key_uses.key = keys.id
left join logged on logged.key = keys.id
order by keys.id
