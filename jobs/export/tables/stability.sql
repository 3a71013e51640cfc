-- One row per snapshot, brand, active prompt and engine that answered it: the stability document without the names.
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
from engines_of(stability.prompts)
order by key.sequence, place, prompt_number, engine_number
