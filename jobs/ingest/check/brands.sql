-- One row is one line of a brands file: the brand, or in `reason` why it is refused (docs/ingest.md).
-- `domain` is free text and never a reason: '' if there is none, the JSON text of a value of another type.
select
  line,
  record,
  to_uuid(r.id) as id,
  to_uuid(r.workspace_id) as workspace_id,
  json_text(r.name) as name,
  coalesce(json_text(r.domain), r.domain::varchar, '') as domain,
  instant_of(r.created_at) as created_at,
  case
    when r is null then 'not a JSON object'
    when id is null then 'id is not a UUID'
    when workspace_id is null then 'workspace_id is not a UUID'
    when name is null or is_blank(name) then 'name is missing or empty'
    when created_at is null then 'created_at is not an RFC 3339 instant'
  end as reason
from (
  select *, object_of(
    record,
    '{"id":"VARCHAR","workspace_id":"VARCHAR","name":"JSON","domain":"JSON","created_at":"VARCHAR"}',
    $may_be_loose
  ) as r
  from lines
)
