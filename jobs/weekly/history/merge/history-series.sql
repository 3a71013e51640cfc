-- One row is a series: a prompt that was answered on an engine for a brand, and the cycles in which it was.
select
  series_no,
  brand_no,
  brand_id,
  prompt_id,
  engine,
  coalesce(bit_or(columns('^cycles_')), 0)
from series_number
group by series_no, brand_no, brand_id, prompt_id, engine
order by series_no
