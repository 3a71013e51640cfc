-- One row per snapshot and brand of a batch: what each row of a table begins with (key), and the data of the brand's documents
-- as published. A document that the snapshot lacks is NULL.
-- Needs batch.
-- Makes published.
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
  from_json(visibility, $visibility).data as visibility,
  from_json(stability, $stability).data as stability,
  from_json(competitors, $competitors).data as competitors,
  from_json(sources, $sources).data as sources,
  from_json(results, $results).data as results,
  from_json(timeline, $timeline).data as timeline,
  from_json(prompts, $prompts).data as prompts
from batch;

-- One row per snapshot, brand and entry of a list in one of the brand's documents, with its number in the list, from 1.
create or replace macro entries_of(list) as table
with
listed as (select key, place, list as entries from published)
select key, place, unnest(entries) as entry, generate_subscripts(entries, 1) as number from listed;

-- One row per snapshot, brand, prompt and engine: the engines of the list of prompts of a document, in its order.
create or replace macro engines_of(list) as table
select
  key,
  place,
  number as prompt_number,
  entry.promptId as prompt_id,
  entry.promptText as prompt_text,
  unnest(entry.engines) as engine,
  generate_subscripts(entry.engines, 1) as engine_number
from entries_of(list);
