-- One row is one line of a runs file: the run's values, or in `reason` why it is refused (inputs.md 2).
create or replace temp table checked as
with
parsed as (
  select
    line,
    record,
    json_transform(
      case when is_json_object(record) then record end,
      '{"id":"JSON","brand_id":"JSON","prompt_id":"JSON","engine":"JSON","cycle_date":"JSON","ran_at":"JSON",
        "status":"JSON","mentions":"JSON","citations":"JSON"}'
    ) as r
  from lines
),
typed as (
  select
    line,
    record,
    r is not null as is_object,
    json_uuid(r.id) as id,
    json_uuid(r.brand_id) as brand_id,
    json_uuid(r.prompt_id) as prompt_id,
    json_text(r.engine) as engine,
    json_date(r.cycle_date) as cycle_date,
    instant_of(json_text(r.ran_at)) as ran_at,
    json_text(r.status) as status,
    r.mentions is null or starts_with(r.mentions::varchar, '[') as mentions_listed,
    r.citations is null or starts_with(r.citations::varchar, '[') as citations_listed,
    coalesce(json_transform(
      case when starts_with(r.mentions::varchar, '[') then r.mentions end,
      '[{"name":"JSON","subject":"JSON","competitor_id":"JSON","position":"JSON","sentiment":"JSON"}]'
    ), []) as mentions,
    coalesce(json_transform(
      case when starts_with(r.citations::varchar, '[') then r.citations end,
      '[{"url":"JSON","source_type":"JSON"}]'
    ), []) as citations
  from parsed
),
listed as (
  select
    * exclude (mentions, citations),
    list_transform(mentions, lambda m: {
      'name': json_text(m.name),
      'subject': json_text(m.subject),
      'competitor_id': case when m.subject::varchar = '"competitor"' then json_uuid(m.competitor_id) end,
      'position': json_position(m.position),
      'sentiment': json_text(m.sentiment)
    }) as mentions,
    list_transform(mentions, lambda m: m.sentiment is null or json_text(m.sentiment) is not null) as sentiments_typed,
    list_transform(citations, lambda c: {'host': host_of(json_text(c.url)), 'source_type': json_text(c.source_type)})
      as citations,
    list_transform(citations, lambda c: json_text(c.url)) as citation_urls
  from typed
),
final as (
  select
    line,
    record,
    id,
    brand_id,
    prompt_id,
    engine,
    cycle_date,
    ran_at,
    status,
    mentions,
    citations,
    citation_urls,
    case
      when not is_object then 'not a JSON object'
      when id is null then 'id is not a UUID'
      when brand_id is null then 'brand_id is not a UUID'
      when prompt_id is null then 'prompt_id is not a UUID'
      when engine is null or not list_contains($engines, engine) then 'engine is unknown'
      when cycle_date is null then 'cycle_date is not a date'
      when ran_at is null then 'ran_at is not an RFC 3339 instant'
      when status is null or status not in ('success', 'no_answer', 'failed') then 'status is unknown'
      when not mentions_listed then 'mentions is not a list'
      when not citations_listed then 'citations is not a list'
      when status != 'success' and (len(mentions) > 0 or len(citations) > 0)
        then 'mentions or citations on a run that was not answered'
      when list_bool_or(list_transform(mentions, lambda m: m.name is null or is_blank(m.name)))
        then 'a mention has no name'
      when list_bool_or(list_transform(
        mentions, lambda m: m.subject is null or m.subject not in ('brand', 'competitor', 'other')
      )) then 'a mention has an unknown subject'
      when list_bool_or(list_transform(mentions, lambda m: m.subject = 'competitor' and m.competitor_id is null))
        then 'a mention of a competitor has no competitor_id'
      when list_bool_or(list_transform(mentions, lambda m: m.position is null))
        then 'a mention has no whole position of 1 or more'
      when not coalesce(list_bool_and(sentiments_typed), true)
        or list_bool_or(list_transform(
          mentions, lambda m: m.sentiment is not null and m.sentiment not in ('positive', 'neutral', 'negative')
        )) then 'a mention has an unknown sentiment'
      when list_bool_or(list_transform(citations, lambda c: c.host is null)) then 'a citation has no readable host'
      when list_bool_or(list_transform(
        citations, lambda c: c.source_type is null or not list_contains($source_types, c.source_type)
      )) then 'a citation has an unknown source_type'
    end as reason
  from listed
)
select * from final;
