-- One row is a brand on an engine in a cycle: its runs, the answered ones, prompts answered and prompts that named
-- it.
select
  brand_id,
  engine,
  cycle_date,
  sum(runs)::integer as runs,
  sum(answers)::integer as answers,
  (count(*) filter (answers > 0))::integer as answered,
  count(position)::integer as named
from asked
group by brand_id, engine, cycle_date
order by brand_id, engine, cycle_date
