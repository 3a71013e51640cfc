-- One row per snapshot, brand, engine and cycle: trend of the visibility document.
-- Needs published.
with
series as (
  select key, place, unnest(map_entries(visibility.trend)) as entry
  from published
),
points as (select key, place, entry.key as engine, unnest(entry.value) as point from series)

select
  key.*,
  engine,
  point.date as date,
  point.score as score,
  point.promptsAnswered as prompts_answered,
  point.promptsNamed as prompts_named,
  point.answers as answers
from points
order by key.sequence, place, engine, point.date
