-- One row is a new key; no row if the workspace is unknown, or its prefix or hash is taken.
insert into sightline.keys (workspace, hash, prefix, label, created_at)
select number, $2, $3, $4, now()
from sightline.workspaces
where id = $1
on conflict do nothing
returning id
