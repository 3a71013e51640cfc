-- One row is a brand with staged runs: where the hash of its workspace's id lies, from 0 to 2^48 - 1; of its own id, if its
-- workspace is not known. jobs/weekly/shard.ts divides the same hashes.
select
  run.brand_id,
  ('0x' || sha256(coalesce(known.workspace_id, run.brand_id)::varchar)[1:12])::bigint as place
from (select distinct brand_id from staged_runs) as run
left join known_brand as known on known.id = run.brand_id
