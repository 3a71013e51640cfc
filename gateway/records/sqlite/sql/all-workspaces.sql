-- One row is a workspace with all columns.
select * from workspaces
