-- One row is an active prompt that was ever answered: its `engines` as JSON. Age 1 is the newest cycle, 2 the one before.
-- Needs result, evidence, series, prompt, change_of.
-- Feeds prompts[].promptId, prompts[].promptText, prompts[].engines[].slug, prompts[].engines[].date,
-- prompts[].engines[].isNamed, prompts[].engines[].position, prompts[].engines[].previousDate,
-- prompts[].engines[].wasNamed, prompts[].engines[].previousPosition, prompts[].engines[].change,
-- prompts[].engines[].evidence[].url, prompts[].engines[].evidence[].sha256.
with
latest as (
  select
    series_no,
    max(cycle_date) filter (age = 1) as date,
    max(position) filter (age = 1) as position,
    max(cycle_date) filter (age = 2) as previous_date,
    max(position) filter (age = 2) as previous_position,
    (bool_or(position is not null) filter (age = 1))::varchar as is_named,
    coalesce((bool_or(position is not null) filter (age = 2))::varchar, 'null') as was_named
  from result
  group by series_no
),
-- A link has no control characters, so only quotes and backslashes are escaped.
evidence_list as (
  select
    series_no,
    string_agg(
      '{"url":' || coalesce('"' || replace(replace(answer_url, '\', '\\'), '"', '\"') || '"', 'null')
      || ',"sha256":' || coalesce('"' || answer_sha256 || '"', 'null') || '}',
      ',' order by ran_at, id
    ) as json
  from evidence
  group by series_no
),
engine as (
  select
    prompt.prompt_no,
    series.engine as slug,
    '{"slug":"' || series.engine
    || '","date":"' || latest.date
    || '","isNamed":' || is_named
    || ',"position":' || coalesce(latest.position::varchar, 'null')
    || ',"previousDate":' || coalesce('"' || latest.previous_date || '"', 'null')
    || ',"wasNamed":' || was_named
    || ',"previousPosition":' || coalesce(latest.previous_position::varchar, 'null')
    || ',"change":"' || change_of.change
    || '","evidence":[' || coalesce(evidence_list.json, '') || ']}' as json
  from latest
  left join evidence_list using (series_no)
  inner join series using (series_no)
  inner join prompt on prompt.brand_no = series.brand_no and prompt.id = series.prompt_id
  inner join change_of using (is_named, was_named)
  where prompt.is_active
)
select
  prompt.brand_no as "brandNo",
  prompt.id::varchar as "promptId",
  prompt.text as "promptText",
  string_agg(engine.json, ',' order by engine.slug) as engines
from engine
inner join prompt using (prompt_no)
group by prompt.prompt_no, prompt.brand_no, prompt.id, prompt.text
order by prompt.prompt_no
