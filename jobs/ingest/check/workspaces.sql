-- One row is one line of a workspaces file: the workspace, or in `reason` why it is refused (docs/ingest.md).
select
  line,
  record,
  to_uuid(r.id) as id,
  json_text(r.name) as name,
  instant_of(r.created_at) as created_at,
  case
    when r is null then 'not a JSON object'
    when id is null then 'id is not a UUID'
    when name is null or is_blank(name) then 'name is missing or empty'
    when created_at is null then 'created_at is not an RFC 3339 instant'
  end as reason
from (
  select *, object_of(record, '{"id":"VARCHAR","name":"JSON","created_at":"VARCHAR"}', $may_be_loose) as r
  from lines
)
