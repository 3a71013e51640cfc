-- One row is a brand with staged runs and its place: that of its workspace's id; of its own id, if its workspace is not
-- known.
-- Needs staged_runs, known_brand.
select
  run.brand_id,
  place_of(coalesce(known.workspace_id, run.brand_id)) as place
from (select distinct brand_id from staged_runs) as run
left join known_brand as known on known.id = run.brand_id
