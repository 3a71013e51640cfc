-- One row per snapshot, brand, active prompt and engine that it ran on: the stability document without the names.
with given as (
  select key, place, from_json(
    stability,
    '{"data": {"prompts": [{"promptId": "VARCHAR", "promptText": "VARCHAR", "engines": [{
      "slug": "VARCHAR", "cyclesObserved": "BIGINT", "isWarmingUp": "BOOLEAN", "brandPlacement": "VARCHAR",
      "brandStability": "DOUBLE", "core": ["JSON"], "carousel": ["JSON"]
    }]}]}}'
  ).data.prompts as prompts
  from published
),

prompts as (select key, place, unnest(prompts) as prompt, generate_subscripts(prompts, 1) as prompt_number from given),

engines as (
  select
    key,
    place,
    prompt_number,
    prompt.promptId as prompt_id,
    prompt.promptText as prompt_text,
    unnest(prompt.engines) as engine,
    generate_subscripts(prompt.engines, 1) as number
  from prompts
)

select
  key.*,
  prompt_id,
  prompt_text,
  engine.slug as engine,
  engine.cyclesObserved as cycles_observed,
  engine.isWarmingUp as is_warming_up,
  engine.brandPlacement as brand_placement,
  engine.brandStability as brand_stability,
  len(engine.core) as core_names,
  len(engine.carousel) as carousel_names
from engines
order by key.sequence, place, prompt_number, number
