-- One row per snapshot, brand, active prompt, engine and name in its answers: core and carousel of the stability document.
with
names as (
  select
    key,
    place,
    prompt_number,
    engine_number,
    prompt_id,
    engine.slug as engine,
    engine.cyclesObserved as cycles_observed,
    len(engine.core) as core_names,
    unnest(engine.core || engine.carousel) as name,
    generate_subscripts(engine.core || engine.carousel, 1) as rank
  from engines_of(stability.prompts)
)
select
  key.*,
  prompt_id,
  engine,
  rank,
  name.entity as name,
  rank <= core_names as is_core,
  name.stability as stability,
  cast(round(name.stability * cycles_observed) as bigint) as cycles
from names
order by key.sequence, place, prompt_number, engine_number, rank
