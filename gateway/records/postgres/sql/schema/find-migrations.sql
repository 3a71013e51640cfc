-- One row says whether the table of migrations is there.
select to_regclass('sightline.migrations') is not null as is_there
