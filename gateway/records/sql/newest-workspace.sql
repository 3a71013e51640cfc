-- One row is the number of the newest workspace, read from the database and not from a cache; no row: there is none.
select number from sightline.workspaces order by number desc limit 1
