-- One row per snapshot, brand, active prompt and engine that ever answered it: the results document. NULL in a position
-- means not named; in previous_date and was_named, that there is no cycle before.
with given as (
  select key, place, from_json(
    results,
    '{"data": {"prompts": [{"promptId": "VARCHAR", "promptText": "VARCHAR", "engines": [{
      "slug": "VARCHAR", "date": "DATE", "isNamed": "BOOLEAN", "position": "BIGINT",
      "previousDate": "DATE", "wasNamed": "BOOLEAN", "previousPosition": "BIGINT", "change": "VARCHAR"
    }]}]}}'
  ).data.prompts as prompts
  from published
),

prompts as (select key, place, unnest(prompts) as prompt, generate_subscripts(prompts, 1) as prompt_number from given),

results as (
  select
    key,
    place,
    prompt_number,
    prompt.promptId as prompt_id,
    prompt.promptText as prompt_text,
    unnest(prompt.engines) as result,
    generate_subscripts(prompt.engines, 1) as number
  from prompts
)

select
  key.*,
  prompt_id,
  prompt_text,
  result.slug as engine,
  result.date as date,
  result.isNamed as is_named,
  result.position as position,
  result.previousDate as previous_date,
  result.wasNamed as was_named,
  result.previousPosition as previous_position,
  result.change as change
from results
order by key.sequence, place, prompt_number, number
