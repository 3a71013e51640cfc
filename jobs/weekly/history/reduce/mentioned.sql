-- One row is a text in the mentions of a series: how many entries it has, and in which cycles.
with
entry as (
  select series.series_no, series.brand_id, cycle.* exclude (cycle_date), unnest(run.mentions) as entry
  from slice_run as run
  inner join series using (brand_id, prompt_id, engine)
  inner join cycle using (cycle_date)
  where run.status = 'success'
)
select
  series_no,
  brand_id,
  entry.subject as subject,
  entry.competitor_id as competitor_id,
  entry.name as name,
  count(*)::integer as entries,
  bit_or(columns('^cycles_'))
from entry
group by all
