-- One row is an answer of a series in its newest cycle that has a link or a hash.
with
newest as (
  select brand_id, prompt_id, engine, max(cycle_date) as cycle_date
  from asked
  where answers > 0
  group by brand_id, prompt_id, engine
)
select series.series_no, run.cycle_date, run.ran_at, run.id, run.answer_url, run.answer_sha256
from slice_run as run
inner join newest using (brand_id, prompt_id, engine, cycle_date)
inner join series using (brand_id, prompt_id, engine)
where run.status = 'success' and (run.answer_url is not null or run.answer_sha256 is not null)
order by series.series_no, run.ran_at, run.id
