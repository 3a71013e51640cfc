-- One row per snapshot, brand, active prompt, engine and name in its answers: core and carousel of the stability document.
with engines as (
  select
    key,
    place,
    prompt_number,
    engine_number,
    prompt.promptId as prompt_id,
    engine.slug as slug,
    engine.cyclesObserved as cycles_observed,
    list_transform(engine.core, name -> {is_core: true, name: name})
    || list_transform(engine.carousel, name -> {is_core: false, name: name}) as names
  from
    published,
    unnest(
      from_json(
        stability,
        '{"data": {"prompts": [{"promptId": "VARCHAR", "engines": [{
          "slug": "VARCHAR", "cyclesObserved": "BIGINT",
          "core": [{"entity": "VARCHAR", "stability": "DOUBLE"}],
          "carousel": [{"entity": "VARCHAR", "stability": "DOUBLE"}]
        }]}]}}'
      ).data.prompts
    ) with ordinality as prompts (prompt, prompt_number),
    unnest(prompt.engines) with ordinality as engines (engine, engine_number)
)

select
  key.*,
  prompt_id,
  slug as engine,
  number as rank,
  entry.name.entity as name,
  entry.is_core as is_core,
  entry.name.stability as stability,
  cast(round(entry.name.stability * cycles_observed) as bigint) as cycles
from engines, unnest(names) with ordinality as listed (entry, number)
order by key.sequence, place, prompt_number, engine_number, number
