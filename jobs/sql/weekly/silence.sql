-- One row is an engine that was asked for a brand in the window: its runs that were silent and those it answered.
select
  brand_no,
  engine::varchar as engine,
  (count(*) filter (where status = 'no_answer'))::integer as silent,
  (count(*) filter (where status = 'success'))::integer as answered
from window_run
group by brand_no, engine
order by brand_no, engine
