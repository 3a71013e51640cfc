-- One row per snapshot, brand and prompt, paused ones too: the prompts document.
select
  key.*,
  prompt.id as prompt_id,
  prompt.text as prompt_text,
  prompt.isActive as is_active,
  cast(prompt.createdAt as timestamptz) as created_at
from
  published,
  unnest(
    from_json(
      prompts,
      '{"data": {"prompts": [{"id": "VARCHAR", "text": "VARCHAR", "isActive": "BOOLEAN", "createdAt": "VARCHAR"}]}}'
    ).data.prompts
  ) with ordinality as listed (prompt, number)
order by key.sequence, place, number
