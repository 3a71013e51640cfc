-- One row is an active prompt that was ever answered: its `engines` as JSON.
-- Needs identified, escaped, series_name, observed_series, share, prompt.
-- Feeds prompts[].promptId, prompts[].promptText, prompts[].engines[].slug, prompts[].engines[].cyclesObserved,
-- prompts[].engines[].isWarmingUp, prompts[].engines[].brandPlacement, prompts[].engines[].brandStability,
-- prompts[].engines[].core[].entity, prompts[].engines[].core[].stability, prompts[].engines[].carousel[].entity,
-- prompts[].engines[].carousel[].stability.
with
-- An entity of the slice as the beginning of a JSON object.
entity as (
  select
    distinct_entity.entity_no,
    '{"entity":' || coalesce(escaped.json, '"' || distinct_entity.entity || '"') || ',"stability":' as json
  from (select distinct entity_no, entity from identified) as distinct_entity
  left join escaped on escaped.text = distinct_entity.entity
),
item as (
  select
    series_no,
    series_name.is_brand,
    series_name.cycles,
    share.placement = 'core' as is_core,
    -- In the order of the list: most cycles first, then the smallest entity.
    {
      fewer_cycles: -series_name.cycles,
      entity_no: series_name.entity_no,
      json: entity.json || share.share || '}'
    } as item
  from series_name
  inner join observed_series using (series_no)
  inner join entity using (entity_no)
  inner join share using (observed, cycles)
),
list as (
  select
    series_no,
    any_value(cycles) filter (is_brand) as brand_cycles,
    least($core_size, count(*) filter (is_core)) as core_items,
    list_transform(list_sort(list(item)), lambda each: each.json) as items
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
    || ',"core":[' || coalesce(array_to_string(list.items[:list.core_items], ','), '')
    || '],"carousel":[' || coalesce(array_to_string(list.items[list.core_items + 1:], ','), '') || ']}' as json
  from observed_series
  left join list using (series_no)
  inner join share
    on share.observed = observed_series.observed and share.cycles = coalesce(list.brand_cycles, 0)
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
