-- One row is one file of the drop: how many of its records are new, were delivered before, and are refused.
select
  file,
  (count(*) filter (what = 'staged'))::integer as records,
  (count(*) filter (what = 'repeated'))::integer as repeated,
  (count(*) filter (what = 'refused'))::integer as refused
from (
  select file, 'staged' as what from staged_workspaces
  union all
  select file, 'staged' from staged_brands
  union all
  select file, 'staged' from staged_competitors
  union all
  select file, 'staged' from staged_prompts
  union all
  select file, 'staged' from staged_runs
  union all
  select file, 'repeated' from repeated where not conflicting
  union all
  select file, 'refused' from reject
)
group by file
