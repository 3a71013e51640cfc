-- One row per snapshot, brand, name, engine and cycle: the timeline document. Consecutive snapshots repeat most cycles.
with
names as (
  select
    key,
    place,
    number as name_number,
    entry.name as name,
    entry.isBrand as is_brand,
    unnest(entry.engines) as counts
  from entries_of(timeline.names)
),
named as (
  select
    * exclude (counts),
    counts.slug as engine,
    unnest(counts.promptsNamed) as prompts_named,
    generate_subscripts(counts.promptsNamed, 1) as cycle
  from names
),
cycles as (
  select
    key,
    place,
    entry.slug as engine,
    unnest(entry.dates) as date,
    unnest(entry.promptsAnswered) as prompts_answered,
    generate_subscripts(entry.dates, 1) as cycle
  from entries_of(timeline.engines)
),
joined as (
  select named.* exclude (cycle), named.cycle as cycle, cycles.date as date, cycles.prompts_answered as prompts_answered
  from named
  inner join cycles
    on
      cycles.key = named.key
      and cycles.place = named.place
      and cycles.engine = named.engine
      and cycles.cycle = named.cycle
)
select
  key.*,
  name,
  is_brand,
  engine,
  date,
  prompts_answered,
  prompts_named
from joined
order by key.sequence, place, name_number, engine, cycle
