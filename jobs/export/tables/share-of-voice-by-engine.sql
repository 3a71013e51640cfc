-- One row per snapshot, brand, name whose mentions are counted, and engine with an answer: the counts of that name on that engine.
with
rows as (
  select key, place, number as rank, entry.name as name, entry.isBrand as is_brand, unnest(entry.perEngine) as counts
  from entries_of(competitors.shareOfVoice)
),
engines as (
  select key, place, entry.slug as engine, entry.answers as answers from entries_of(competitors.perEngine)
),
joined as (
  select
    rows.key as key,
    rows.place as place,
    rows.rank as rank,
    rows.name as name,
    rows.is_brand as is_brand,
    rows.counts.slug as engine,
    rows.counts.mentions as mentions,
    rows.counts.answersNaming as answers_naming,
    engines.answers as answers
  from rows
  inner join engines on engines.key = rows.key and engines.place = rows.place and engines.engine = rows.counts.slug
)
select
  key.*,
  rank,
  name,
  is_brand,
  engine,
  mentions,
  answers_naming,
  answers
from joined
order by key.sequence, place, rank, engine
