-- One row is a new key; no row if its prefix or hash is taken. Its row of last use is inserted too: admission only
-- updates.
with key as (
  insert into sightline.keys (workspace, hash, prefix, label)
  select number, decode($2::text, 'hex'), $3::text, $4::text from sightline.workspaces where id = $1::uuid
  on conflict do nothing
  returning id
)

insert into sightline.key_uses (key)
select id from key
returning key
