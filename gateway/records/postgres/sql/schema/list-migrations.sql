-- One row is the newest migration that has run here; 0 where none has.
select coalesce(max(version), 0) as version from sightline.migrations
