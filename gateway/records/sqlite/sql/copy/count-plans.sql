-- One row is the number of plans, read from the file and not from a cache.
select count(*) as plans from plans
