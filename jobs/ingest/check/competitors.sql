-- One row is one line of a competitors file: the competitor, or in `reason` why it is refused (docs/ingest.md).
create or replace temp table checked as
with
parsed as (
  select
    line,
    record,
    try(json_transform(
      strict_object(record, $may_be_loose), '{"id":"VARCHAR","brand_id":"VARCHAR","name":"JSON"}'
    )) as r
  from lines
),
typed as (
  select
    line,
    record,
    r is not null as is_object,
    to_uuid(r.id) as id,
    to_uuid(r.brand_id) as brand_id,
    json_text(r.name) as name
  from parsed
),
final as (
  select
    * exclude (is_object),
    case
      when not is_object then 'not a JSON object'
      when id is null then 'id is not a UUID'
      when brand_id is null then 'brand_id is not a UUID'
      when name is null or is_blank(name) then 'name is missing or empty'
    end as reason
  from typed
)
select * from final;
