-- One row is whether the table of migrations exists.
select to_regclass('sightline.migrations') is not null as is_there
