-- One row is a new key; no row if its prefix or hash is taken.
insert into keys (workspace, hash, prefix, label, created_at)
select number, ?2, ?3, ?4, ?5 from workspaces where id = ?1
on conflict do nothing
returning id
