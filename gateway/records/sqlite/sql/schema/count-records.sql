-- One row: how many workspaces and keys there are, revoked keys too.
select
  (select count(*) from workspaces) as workspaces,
  (select count(*) from keys) as keys
