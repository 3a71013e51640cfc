-- One row per snapshot, brand, active prompt and engine that ever answered it: the results document. NULL in a position
-- means not named; in previous_date and was_named, that there is no cycle before.
select
  key.*,
  prompt_id,
  prompt_text,
  engine.slug as engine,
  engine.date as date,
  engine.isNamed as is_named,
  engine.position as position,
  engine.previousDate as previous_date,
  engine.wasNamed as was_named,
  engine.previousPosition as previous_position,
  engine.change as change,
  nullif(array_to_string(list_transform(engine.evidence, lambda entry: entry.url), ' '), '') as answer_urls,
  nullif(array_to_string(list_transform(engine.evidence, lambda entry: entry.sha256), ' '), '') as answer_sha256
from engines_of(results.prompts)
order by key.sequence, place, prompt_number, engine_number
