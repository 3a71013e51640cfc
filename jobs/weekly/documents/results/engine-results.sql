-- One row is an active prompt on an engine that ever answered it: the results of the newest two cycles in which it did (the date
-- before is NULL if there was one cycle), and the answers of the newest one that have a link or a hash.
-- Needs result, evidence, series, prompt.
-- Feeds prompts[].promptId, prompts[].promptText, prompts[].engines[].slug, prompts[].engines[].date,
-- prompts[].engines[].isNamed, prompts[].engines[].position, prompts[].engines[].previousDate,
-- prompts[].engines[].wasNamed, prompts[].engines[].previousPosition, prompts[].engines[].change,
-- prompts[].engines[].evidence[].url, prompts[].engines[].evidence[].sha256.
with
answered as (
  select series_no, list({'url': answer_url, 'sha256': answer_sha256} order by ran_at, id) as evidence
  from evidence
  group by series_no
)
select
  prompt.brand_no as "brandNo",
  prompt.id::varchar as "promptId",
  prompt.text as "promptText",
  series.engine::varchar as slug,
  latest.cycle_date::varchar as date,
  latest.position::double as position,
  previous.cycle_date::varchar as "previousDate",
  previous.position::double as "previousPosition",
  coalesce(answered.evidence, []) as evidence
from series
inner join prompt on prompt.brand_no = series.brand_no and prompt.id = series.prompt_id
inner join result as latest on latest.series_no = series.series_no and latest.age = 1
left join result as previous on previous.series_no = series.series_no and previous.age = 2
left join answered on answered.series_no = series.series_no
where prompt.is_active
order by prompt.prompt_no, series.engine
