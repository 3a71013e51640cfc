-- One row is a brand in an object of runs, and how many of its runs are there.
select run_object.object, run.brand_id, count(*)::integer as runs
from staged_runs as run
inner join run_place using (brand_id)
inner join run_object
  on run_object.cycle_date = run.cycle_date and run_object.bucket = run_place.place >> (48 - run_object.bits)
group by run_object.object, run.brand_id
order by run_object.object, run.brand_id
