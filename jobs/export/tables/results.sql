-- One row per snapshot, brand, active prompt and engine that ever answered it: the results document. NULL in a position
-- means not named; in previous_date and was_named, that there is no cycle before.
select
  key.*,
  prompt.promptId as prompt_id,
  prompt.promptText as prompt_text,
  result.slug as engine,
  result.date as date,
  result.isNamed as is_named,
  result.position as position,
  result.previousDate as previous_date,
  result.wasNamed as was_named,
  result.previousPosition as previous_position,
  result.change as change
from
  published,
  unnest(
    from_json(
      results,
      '{"data": {"prompts": [{"promptId": "VARCHAR", "promptText": "VARCHAR", "engines": [{
        "slug": "VARCHAR", "date": "DATE", "isNamed": "BOOLEAN", "position": "BIGINT",
        "previousDate": "DATE", "wasNamed": "BOOLEAN", "previousPosition": "BIGINT", "change": "VARCHAR"
      }]}]}}'
    ).data.prompts
  ) with ordinality as prompts (prompt, prompt_number),
  unnest(prompt.engines) with ordinality as engines (result, number)
order by key.sequence, place, prompt_number, number
