-- One row per snapshot and brand of a batch: what each row of a table begins with (key), and the brand's documents as
-- published. A document that the snapshot lacks is {}.
create or replace table published as
select
  {
    workspace_id: workspace_id,
    workspace_name: workspace_name ->> '$',
    snapshot_id: snapshot_id,
    sequence: sequence,
    as_of: cast(as_of as timestamptz),
    brand_id: brand ->> '$.id',
    brand_name: brand ->> '$.name'
  } as key,
  place,
  cast(published_at as timestamptz) as published_at,
  methodology_version,
  brand,
  visibility,
  stability,
  competitors,
  sources,
  results,
  prompts
from batch;
