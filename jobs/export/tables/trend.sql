-- One row per snapshot, brand, engine and cycle: trend of the visibility document. NULL in a count means that the
-- snapshot is older than the field.
with series as (
  select *, unnest(map_entries(
    from_json(
      visibility -> '$.data.trend',
      '"MAP(VARCHAR, STRUCT(\"date\" DATE, score DOUBLE, promptsAnswered BIGINT, promptsNamed BIGINT)[])"'
    )
  )) as entry
  from published
)

select
  key.*,
  entry.key as engine,
  point.date as date,
  point.score as score,
  point.promptsAnswered as prompts_answered,
  point.promptsNamed as prompts_named
from series, unnest(entry.value) as points (point)
order by key.sequence, place, engine, date
