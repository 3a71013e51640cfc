-- One row is one line of a prompts file: the prompt, or in `reason` why it is refused (docs/ingest.md).
select
  line,
  record,
  to_uuid(r.id) as id,
  to_uuid(r.brand_id) as brand_id,
  json_text(r.text) as text,
  case r.is_active::varchar when 'true' then true when 'false' then false end as is_active,
  instant_of(r.created_at) as created_at,
  case
    when r is null then 'not a JSON object'
    when id is null then 'id is not a UUID'
    when brand_id is null then 'brand_id is not a UUID'
    when text is null or is_blank(text) then 'text is missing or empty'
    when is_active is null then 'is_active is not true or false'
    when created_at is null then 'created_at is not an RFC 3339 instant'
  end as reason
from (
  select *, object_of(
    record,
    '{"id":"VARCHAR","brand_id":"VARCHAR","text":"JSON","is_active":"JSON","created_at":"VARCHAR"}',
    $may_be_loose
  ) as r
  from lines
)
