-- One row: the number of plans; asks the file, not a cache.
select count(*) as plans from plans
