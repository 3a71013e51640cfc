-- One row is a *series*: a prompt that was answered on an engine for a brand, with the cycles in which it was, a bit each.
with
answered as (
  select asked.brand_id, asked.prompt_id, asked.engine, bit_or(columns('^cycles_'))
  from asked
  inner join cycle using (cycle_date)
  where asked.answers > 0
  group by asked.brand_id, asked.prompt_id, asked.engine
)
select
  ($series_before + row_number() over (order by brand_id, prompt_id, engine))::integer as series_no,
  brand_id,
  prompt_id,
  engine,
  columns('^cycles_')
from answered
order by series_no
