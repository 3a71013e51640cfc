-- One row is an entity of the slice as the beginning of a JSON object.
with
entity as (
  select distinct entity_no, entity from identified
)
select
  entity.entity_no,
  '{"entity":' || coalesce(escaped.json, '"' || entity.entity || '"') || ',"stability":' as json
from entity
left join escaped on escaped.text = entity.entity
