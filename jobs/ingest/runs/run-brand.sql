-- One row is a brand on an engine in an object of runs: its place there, and how many of its runs are there.
-- Needs staged_runs, run_place, run_object.
select run_object.object, run.brand_id, run.engine, run_place.place, count(*)::integer as runs
from staged_runs as run
inner join run_place using (brand_id)
inner join run_object
  on run_object.cycle_date = run.cycle_date and run_object.bucket = run_place.place >> (48 - run_object.bits)
group by all
order by run_object.object, run.brand_id, run.engine
