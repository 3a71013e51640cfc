-- One row is one line of a workspaces file: the workspace, or in `reason` why it is refused (docs/ingest.md).
create or replace temp table checked as
with
parsed as (
  select
    line,
    record,
    try(json_transform(
      strict_object(record, $may_be_loose), '{"id":"VARCHAR","name":"JSON","created_at":"VARCHAR"}'
    )) as r
  from lines
),
typed as (
  select
    line,
    record,
    r is not null as is_object,
    to_uuid(r.id) as id,
    json_text(r.name) as name,
    instant_of(r.created_at) as created_at
  from parsed
),
final as (
  select
    * exclude (is_object),
    case
      when not is_object then 'not a JSON object'
      when id is null then 'id is not a UUID'
      when name is null or is_blank(name) then 'name is missing or empty'
      when created_at is null then 'created_at is not an RFC 3339 instant'
    end as reason
  from typed
)
select * from final;
