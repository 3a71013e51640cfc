-- One row per snapshot, brand and prompt, paused ones too: the prompts document.
select
  key.*,
  entry.id as prompt_id,
  entry.text as prompt_text,
  entry.isActive as is_active,
  cast(entry.createdAt as timestamptz) as created_at,
  entry.namesBrand as names_brand,
  nullif(array_to_string(entry.tags, '; '), '') as tags
from entries_of(prompts.prompts)
order by key.sequence, place, number
