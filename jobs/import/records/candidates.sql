-- One row is one answer that the mapping gave: the run it makes, or in `reason` why it is skipped.
create or replace temp table candidate as
with
given as (
  select
    * exclude (answer, named, skip),
    hash(answer, named) as content,
    case when status = 'success' and answer is not null then sha256(answer) end as answer_sha256,
    case
      when skip is not null then skip
      when id is null then 'no id'
      when brand_id is null then 'no brand'
      when prompt_id is null then 'no prompt'
      when engine is null then 'engine is unknown'
      when ran_at is null then 'no time'
      when status is null then 'no status'
    end as reason
  from given_runs
)
select
  reason,
  given.id,
  brand_id,
  prompt_id,
  engine,
  case when $is_weekly then monday_of(ran_at) else ran_at::date end as cycle_date,
  ran_at,
  status,
  model,
  answer_url,
  answer_sha256,
  case when status = 'success' then coalesce(mentions, found, []) else [] end as mentions,
  case
    when status = 'success' then list_filter(coalesce(citations, []), lambda citation: has_host(citation.url)) else []
  end as citations,
  -- What is left out of the citations, and where the answer is, for reports.
  case
    when status = 'success' and len(citations) > 0
      then list_filter(list_transform(citations, lambda citation: citation.url), lambda url: not has_host(url))
  end as unreadable,
  case when reason is not null or len(unreadable) > 0 then source_file end as source_file,
  case when reason is not null or len(unreadable) > 0 then source_row end as source_row,
  case when reason is not null or len(unreadable) > 0 then cell end as cell
from given
left join mentioned on mentioned.id = given.id and mentioned.content = given.content;
