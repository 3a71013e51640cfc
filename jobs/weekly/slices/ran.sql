-- One row is a brand that ran on an engine in a cycle as of the snapshot, tracked or not, and how many runs it has there. Only
-- objects that have runs after the snapshot are read for it.
-- Needs run_brand, open_run.
with
counted as (
  select brand_id, engine, cycle_date, runs from run_brand
  where not is_open
  union all
  select brand_id, engine, cycle_date, 1 as runs from open_run
)
select brand_id, engine::engine_slug as engine, cycle_date, sum(runs)::bigint as runs
from counted
group by all
