-- One row per snapshot, brand and prompt, paused ones too: the prompts document.
with given as (
  select key, place, from_json(
    prompts,
    '{"data": {"prompts": [{"id": "VARCHAR", "text": "VARCHAR", "isActive": "BOOLEAN", "createdAt": "VARCHAR"}]}}'
  ).data.prompts as prompts
  from published
),

listed as (select key, place, unnest(prompts) as prompt, generate_subscripts(prompts, 1) as number from given)

select
  key.*,
  prompt.id as prompt_id,
  prompt.text as prompt_text,
  prompt.isActive as is_active,
  cast(prompt.createdAt as timestamptz) as created_at
from listed
order by key.sequence, place, number
