-- One row is a key with all stored fields. Times are microseconds since the Unix epoch; revokedAt is null while the key
-- is active, lastUsedAt if it was never used.
select
  keys.id,
  keys.workspace,
  keys.hash,
  keys.prefix,
  keys.label,
  keys.created_at * 1000 as "createdAt",
  keys.revoked_at * 1000 as "revokedAt",
  key_uses.last_used_at * 1000 as "lastUsedAt"
from keys
join key_uses on key_uses.key = keys.id
order by keys.id
