-- One row is the number of workspaces and of keys, and how many of the keys are revoked and were ever used.
select
  (select cast(count(*) as integer) from sightline.workspaces) as workspaces,
  (select cast(count(*) as integer) from sightline.keys) as keys,
  (select cast(count(*) as integer) from sightline.keys where revoked_at is not null) as "revokedKeys",
  (select cast(count(*) as integer) from sightline.keys where last_used_at is not null) as "usedKeys"
