-- One row is one line of a tracking file: the record, or in `reason` why it is refused (docs/ingest.md). Fields that other
-- kinds than $kind have are not checked. `domain` is free text and never a reason: '' if there is none, the JSON text of a
-- value of another type.
-- Needs lines.
with
parsed as (
  select *, object_of(record, $fields, $may_be_loose) as r
  from lines
),
-- Apart from the reasons: DuckDB writes out what an alias stands for at each of its uses, and plans it as often.
read as (
  select
    line,
    record,
    r,
    to_uuid(r.id) as id,
    to_uuid(r.workspace_id) as workspace_id,
    to_uuid(r.brand_id) as brand_id,
    json_text(r.name) as name,
    coalesce(json_text(r.domain), r.domain::varchar, '') as domain,
    json_text(r.text) as text,
    case r.is_active::varchar when 'true' then true when 'false' then false end as is_active,
    instant_of(r.created_at) as created_at,
    case
      when is_absent(r.tags) then []
      else list_transform(json_transform(r.tags, '["JSON"]'), lambda tag: json_text(tag))
    end as tags,
    r.engine as engine,
    to_date(r.date) as "date",
    json_text(r.url) as url
  from parsed
)
select
  * exclude (r),
  case
    when r is null then 'not a JSON object'
    when id is null then 'id is not a UUID'
    when workspace_id is null and ($kind = 'brands' or $kind = 'events' and r.workspace_id is not null)
      then 'workspace_id is not a UUID'
    when brand_id is null and $kind in ('competitors', 'prompts') then 'brand_id is not a UUID'
    when $kind in ('prompts', 'events') and (text is null or is_blank(text)) then 'text is missing or empty'
    when $kind = 'prompts' and len(text) > 10000 then 'text is longer than 10,000 characters'
    when $kind = 'events' and len(text) > 1000 then 'text is longer than 1,000 characters'
    when $kind not in ('prompts', 'events') and (name is null or is_blank(name)) then 'name is missing or empty'
    when $kind not in ('prompts', 'events') and len(name) > 1000 then 'name is longer than 1,000 characters'
    when is_active is null and $kind = 'prompts' then 'is_active is not true or false'
    when created_at is null and $kind not in ('competitors', 'events') then 'created_at is not an RFC 3339 instant'
    when $kind = 'prompts' and tags is null then 'tags is not a list'
    when $kind = 'prompts' and len(tags) > 50 then 'more than 50 tags'
    when $kind = 'prompts' and list_bool_or(list_transform(tags, lambda tag: tag is null)) then 'a tag is not a text'
    when $kind = 'prompts' and list_bool_or(list_transform(tags, lambda tag: len(tag) > 100))
      then 'a tag is longer than 100 characters'
    when $kind = 'events' and "date" is null then 'date is not a date'
    when $kind = 'events' and engine is not null and not list_contains($engines, engine) then 'engine is unknown'
    when $kind = 'events' and not is_absent(r.url) and not is_link(url) then 'url is not an http or https URL'
  end as reason
from read
