-- One row is one line of a competitors file: the competitor, or in `reason` why it is refused (docs/ingest.md).
select
  line,
  record,
  to_uuid(r.id) as id,
  to_uuid(r.brand_id) as brand_id,
  json_text(r.name) as name,
  case
    when r is null then 'not a JSON object'
    when id is null then 'id is not a UUID'
    when brand_id is null then 'brand_id is not a UUID'
    when name is null or is_blank(name) then 'name is missing or empty'
  end as reason
from (
  select *, object_of(record, '{"id":"VARCHAR","brand_id":"VARCHAR","name":"JSON"}', $may_be_loose) as r
  from lines
)
