-- One row is a brand outside the scope with its runs in a cycle.
with
outside as (
  select brand_id, cycle_date, runs from source_outside_runs
  union all
  select brand_id, cycle_date, runs from source_scores
  where $only_published and brand_id not in (select id from brand)
)
select brand_id, cycle_date, sum(runs)::integer as runs
from outside
group by brand_id, cycle_date
