-- One row is one file of the drop: how many of its records are new, were delivered before, and are refused.
-- Needs staged_workspaces, staged_brands, staged_competitors, staged_prompts, staged_events, staged_runs, repeated, refused.
select
  file,
  coalesce(sum(n) filter (what = 'staged'), 0)::double as records,
  coalesce(sum(n) filter (what = 'repeated'), 0)::double as repeated,
  coalesce(sum(n) filter (what = 'refused'), 0)::double as refused
from (
  select file, 'staged' as what, 1 as n from staged_workspaces
  union all
  select file, 'staged', 1 from staged_brands
  union all
  select file, 'staged', 1 from staged_competitors
  union all
  select file, 'staged', 1 from staged_prompts
  union all
  select file, 'staged', 1 from staged_events
  union all
  select file, 'staged', 1 from staged_runs
  union all
  select file, 'repeated', 1 from repeated where not conflicting
  union all
  select file, 'refused', records from refused
)
group by file
