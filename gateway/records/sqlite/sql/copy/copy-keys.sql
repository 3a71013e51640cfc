-- One row is a copied key with its id, which access logs name; its times are cut to milliseconds.
insert into keys (id, workspace, hash, prefix, label, created_at, revoked_at)
select
  value ->> 'id',
  value ->> 'workspace',
  value ->> 'hash',
  value ->> 'prefix',
  value ->> 'label',
  (value ->> 'createdAt') / 1000,
  (value ->> 'revokedAt') / 1000
from json_each(?1)
returning id
