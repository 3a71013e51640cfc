-- One row is a brand's score on an engine in a cycle, as counts: answers, prompts answered and prompts that named the brand.
-- Only the scores that a document can show are kept: the 120 of the trend, and each engine's latest and 12 before it.
-- Needs score.
with
ranked as (
  select
    *,
    row_number() over (partition by brand_no order by cycle_date desc, engine) as place_in_trend,
    row_number() over (partition by brand_no, engine order by cycle_date desc) as place_in_engine
  from score
)
select * exclude (place_in_trend), place_in_trend <= $trend_size as in_trend
from ranked
where place_in_trend <= $trend_size or place_in_engine <= $band_scores
