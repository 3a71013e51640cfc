-- One row is a staged run of one cycle, with its place and its bucket.
-- Needs staged_runs, run_place.
select run.* exclude (file, line), run_place.place, run_place.place >> (48 - $bits::integer) as bucket
from staged_runs as run
inner join run_place using (brand_id)
where run.cycle_date = $cycle::date
