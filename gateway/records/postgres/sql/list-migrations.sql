-- One row is the newest migration that has run in this database; 0 if none.
select coalesce(max(version), 0) as version from sightline.migrations
