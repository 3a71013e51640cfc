-- One row is a copied key with its id, which access logs name.
insert into sightline.keys (id, workspace, hash, prefix, label, created_at, revoked_at)
overriding system value
select
  id,
  workspace,
  decode(hash, 'hex'),
  prefix,
  label,
  timestamptz 'epoch' + "createdAt" * interval '1 microsecond',
  timestamptz 'epoch' + "revokedAt" * interval '1 microsecond'
from jsonb_to_recordset($1::text::jsonb) as source (
  id integer, workspace integer, hash text, prefix text, label text, "createdAt" float8, "revokedAt" float8
)
returning id
