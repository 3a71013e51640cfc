-- One row is the number of workspaces, and of keys including revoked ones.
select
  (select count(*) from workspaces) as workspaces,
  (select count(*) from keys) as keys
