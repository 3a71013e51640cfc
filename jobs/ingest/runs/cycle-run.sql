-- One row is a staged run of one cycle, with its bucket. In this order, the rows of a bucket are read without the others.
select run.* exclude (file, line), run_place.place >> (48 - $bits::integer) as bucket
from staged_runs as run
inner join run_place using (brand_id)
where run.cycle_date = $cycle::date
order by bucket, run.brand_id
