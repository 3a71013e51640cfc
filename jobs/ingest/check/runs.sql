-- One row is one line of a runs file: the run's values, or in `reason` why it is refused (docs/ingest.md).
-- Needs lines.
with
-- In a line of up to 64 KiB, lists of any length do no harm. Those of a longer line are counted before they are read: a
-- value takes 100 times its bytes.
counted as (
  select
    line,
    record,
    case
      when strlen(record) > 65536 then try(json_array_length(record, ['$.mentions', '$.citations']))
    end as counts
  from lines
),
parsed as (
  select
    line,
    record,
    counts,
    case
      when not is_long_list(list_max(counts)) then object_of(record, $fields, $may_be_loose)
    end as r
  from counted
),
-- A missing value is read as NULL, and so is one that is not a list. Only those are checked again, and only in lines that
-- are JSON: json_extract ends the query at any other text.
listed as (
  select
    line,
    record,
    coalesce(counts[1], len(r.mentions)) as mention_count,
    coalesce(counts[2], len(r.citations)) as citation_count,
    r is not null as is_object,
    to_uuid(r.id) as id,
    to_uuid(r.brand_id) as brand_id,
    to_uuid(r.prompt_id) as prompt_id,
    r.engine as engine,
    to_date(r.cycle_date) as cycle_date,
    instant_of(r.ran_at) as ran_at,
    r.status as status,
    is_absent(r.model) as model_absent,
    json_text(r.model) as model,
    is_absent(r.answer_url) as url_absent,
    json_text(r.answer_url) as answer_url,
    is_absent(r.answer_sha256) as sha256_absent,
    lower(json_text(r.answer_sha256)) as answer_sha256,
    case
      when r.mentions is not null then true
      when r is not null then is_absent(json_extract(record, '$.mentions'))
    end as mentions_listed,
    case
      when r.citations is not null then true
      when r is not null then is_absent(json_extract(record, '$.citations'))
    end as citations_listed,
    coalesce(list_transform(r.mentions, lambda m: {
      'name': json_text(m.name),
      'subject': m.subject,
      'competitor_id': case when m.subject = 'competitor' then to_uuid(m.competitor_id) end,
      'position': json_position(m.position),
      'sentiment': m.sentiment
    }), []) as mentions,
    coalesce(list_transform(r.citations, lambda c: json_text(c.url)), []) as citation_urls,
    coalesce(list_transform(
      r.citations, lambda c: {'host': plain_host(json_text(c.url)), 'source_type': c.source_type}
    ), []) as plain_citations
  from parsed
),
-- Other hosts are read outside of a lambda, which would compile the patterns for every chunk: six times as slow. As rows
-- of their own they take five times as long as plain ones.
cited as (
  select
    line,
    unnest(citation_urls) as url,
    unnest(plain_citations).source_type as source_type,
    generate_subscripts(citation_urls, 1) as n
  from listed
  where list_bool_or(list_transform(plain_citations, lambda c: c.host is null))
),
hosted as (
  select line, list({host: host_of(url), source_type: source_type} order by n) as citations
  from cited
  group by line
),
hosted_all as (
  select listed.* exclude (plain_citations), coalesce(hosted.citations, plain_citations) as citations
  from listed
  left join hosted using (line)
),
checked as (
  select
    * exclude (
      mention_count, citation_count, mentions_listed, citations_listed, is_object, model_absent, url_absent, sha256_absent
    ),
    case
      when is_long_list(mention_count) then 'more than 1,000 mentions'
      when is_long_list(citation_count) then 'more than 1,000 citations'
      when not is_object then 'not a JSON object'
      when id is null then 'id is not a UUID'
      when brand_id is null then 'brand_id is not a UUID'
      when prompt_id is null then 'prompt_id is not a UUID'
      when not coalesce(list_contains($engines, engine), false) then 'engine is unknown'
      when cycle_date is null then 'cycle_date is not a date'
      when ran_at is null then 'ran_at is not an RFC 3339 instant'
      when abs(cycle_date - ran_at::date) > 366 then 'cycle_date is more than 366 days from ran_at'
      when not coalesce(status in ('success', 'no_answer', 'failed'), false) then 'status is unknown'
      when not mentions_listed then 'mentions is not a list'
      when not citations_listed then 'citations is not a list'
      when status != 'success' and (len(mentions) > 0 or len(citations) > 0)
        then 'mentions or citations on a run that was not answered'
      when list_bool_or(list_transform(mentions, lambda m: m.name is null or is_blank(m.name)))
        then 'a mention has no name'
      when list_bool_or(list_transform(mentions, lambda m: len(m.name) > 1000))
        then 'a name of a mention is longer than 1,000 characters'
      when list_bool_or(list_transform(
        mentions, lambda m: not coalesce(m.subject in ('brand', 'competitor', 'other'), false)
      )) then 'a mention has an unknown subject'
      when list_bool_or(list_transform(mentions, lambda m: m.subject = 'competitor' and m.competitor_id is null))
        then 'a mention of a competitor has no competitor_id'
      when list_bool_or(list_transform(mentions, lambda m: m.position is null))
        then 'a mention has no whole position of 1 or more'
      when list_bool_or(list_transform(
        mentions, lambda m: not coalesce(m.sentiment in ('positive', 'neutral', 'negative'), true)
      )) then 'a mention has an unknown sentiment'
      when list_bool_or(list_transform(citations, lambda c: c.host is null))
        then 'a citation has no readable host'
      when list_bool_or(list_transform(
        citations, lambda c: not coalesce(list_contains($source_types, c.source_type), false)
      )) then 'a citation has an unknown source_type'
      when not model_absent and model is null then 'model is not a text'
      when len(model) > 1000 then 'model is longer than 1,000 characters'
      when not url_absent and not is_link(answer_url) then 'answer_url is not an http or https URL'
      when not sha256_absent and not coalesce(regexp_full_match(answer_sha256, '[0-9a-f]{64}'), false)
        then 'answer_sha256 is not 64 hexadecimal digits'
    end as reason
  from hosted_all
)
select
  line, case when reason is not null then record end as record, id, brand_id, prompt_id, engine, cycle_date, ran_at,
  status, mentions, citations, citation_urls, model, answer_url, answer_sha256, reason
from checked
