-- One row is the migration that has just run.
insert into sightline.migrations (version, file) values ($1::integer, $2::text)
