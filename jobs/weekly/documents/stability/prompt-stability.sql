-- One row is a brand: the `prompts` of its stability document as JSON.
-- Feeds prompts[].promptId, prompts[].promptText, prompts[].engines[].slug, prompts[].engines[].cyclesObserved,
-- prompts[].engines[].isWarmingUp, prompts[].engines[].brandPlacement, prompts[].engines[].brandStability,
-- prompts[].engines[].core[].entity, prompts[].engines[].core[].stability, prompts[].engines[].carousel[].entity,
-- prompts[].engines[].carousel[].stability.
with
item as (
  select
    ranked_name.series_no,
    ranked_name.place,
    ranked_name.is_brand,
    ranked_name.cycles,
    ranked_name.place <= $core_size and share.placement = 'core' as is_core,
    entity.json || share.share || '}' as json
  from ranked_name
  inner join entity using (entity_no)
  inner join share using (observed, cycles)
),
list as (
  select
    series_no,
    max(cycles) filter (is_brand) as brand_cycles,
    string_agg(json, ',' order by place) filter (is_core) as core,
    string_agg(json, ',' order by place) filter (not is_core) as carousel
  from item
  group by series_no
),
engine as (
  select
    observed_series.prompt_no,
    observed_series.engine as slug,
    '{"slug":"' || observed_series.engine
    || '","cyclesObserved":' || observed_series.observed
    || ',"isWarmingUp":' || (observed_series.observed < $min_cycles)
    || ',"brandPlacement":"' || share.placement
    || '","brandStability":' || share.share
    || ',"core":[' || coalesce(list.core, '')
    || '],"carousel":[' || coalesce(list.carousel, '') || ']}' as json
  from observed_series
  left join list using (series_no)
  inner join share
    on share.observed = observed_series.observed and share.cycles = coalesce(list.brand_cycles, 0)
),
prompt_engines as (
  select prompt_no, string_agg(json, ',' order by slug) as json from engine
  group by prompt_no
)
select
  prompt.brand_no as "brandNo",
  string_agg(
    '{"promptId":"' || prompt.id
    || '","promptText":' || coalesce(escaped.json, '"' || prompt.text || '"')
    || ',"engines":[' || prompt_engines.json || ']}',
    ',' order by prompt.prompt_no
  ) as prompts
from prompt_engines
inner join prompt using (prompt_no)
left join escaped on escaped.text = prompt.text
group by prompt.brand_no
