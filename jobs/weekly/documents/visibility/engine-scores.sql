-- One row is a brand's score on an engine in a cycle, as counts: prompts answered and prompts that named the brand.
-- Only the scores that a document can show are kept: the 120 of the trend, and each engine's latest and 12 before it.
-- Feeds overallVisibility, perEngine[].slug, perEngine[].isWebGrounded, perEngine[].score, perEngine[].date,
-- perEngine[].bandLow, perEngine[].bandHigh, perEngine[].isSignificant, perEngine[].isWarmingUp, trend.*[].date,
-- trend.*[].score, perEngine[].promptsAnswered, perEngine[].promptsNamed, perEngine[].priorScores,
-- trend.*[].promptsAnswered, trend.*[].promptsNamed, alerts[].slug, alerts[].score.
with
answered as (
  select brand.brand_no, score.engine, score.cycle_date, score.answered, score.named
  from score
  inner join brand on brand.id = score.brand_id
  where score.answered > 0 and brand.brand_no between $first_brand and $last_brand
),
ranked as (
  select
    *,
    row_number() over (partition by brand_no order by cycle_date desc, engine) as place_in_trend,
    row_number() over (partition by brand_no, engine order by cycle_date desc) as place_in_engine
  from answered
)
select
  brand_no as "brandNo",
  engine::varchar as slug,
  cycle_date::varchar as date,
  answered as "promptsAnswered",
  named as "promptsNamed",
  place_in_trend <= $trend_size as "inTrend"
from ranked
where place_in_trend <= $trend_size or place_in_engine <= $band_scores
order by brand_no, engine, cycle_date
