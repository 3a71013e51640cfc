-- One row is a brand's score on an engine in a cycle, as counts.
-- Needs engine_score.
-- Feeds overallVisibility, perEngine[].slug, perEngine[].isWebGrounded, perEngine[].score, perEngine[].date,
-- perEngine[].bandLow, perEngine[].bandHigh, perEngine[].isSignificant, perEngine[].isWarmingUp, trend.*[].date,
-- trend.*[].score, perEngine[].promptsAnswered, perEngine[].promptsNamed, perEngine[].priorScores, perEngine[].answers,
-- trend.*[].promptsAnswered, trend.*[].promptsNamed, trend.*[].answers, alerts[].slug, alerts[].score.
select
  brand_no as "brandNo",
  engine::varchar as slug,
  cycle_date::varchar as date,
  answers,
  answered as "promptsAnswered",
  named as "promptsNamed",
  in_trend as "inTrend"
from engine_score
order by brand_no, engine, cycle_date
