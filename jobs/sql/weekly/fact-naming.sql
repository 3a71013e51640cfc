-- One row is a spelling by which somebody was named in the answers to a prompt on an engine in one cycle.
with
mention as (
  select cycle_date, brand_id, prompt_id, engine, unnest(mentions) as entry
  from run
  where cycle_date = $cycle_date::date and status = 'success'
)
select
  cycle_date,
  brand_id,
  prompt_id,
  engine,
  entry.subject as subject,
  entry.competitor_id as competitor_id,
  entry.name as name,
  count(*)::integer as entries
from mention
group by all
order by brand_id, prompt_id, engine
