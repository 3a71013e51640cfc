-- One row is the number of the newest workspace, read from the database and not from a cache; null: there is none.
select max(number) as number from sightline.workspaces
