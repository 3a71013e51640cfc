-- One row per snapshot, brand and engine that has a score: perEngine of the visibility document. NULL in the band means
-- warming up; in no_answer_rate, that no answer was missing; in a count, that the snapshot is older than the field.
with given as (
  select key, place, from_json(
    visibility,
    '{"data": {"perEngine": [{
      "slug": "VARCHAR", "isWebGrounded": "BOOLEAN", "date": "DATE", "score": "DOUBLE",
      "bandLow": "DOUBLE", "bandHigh": "DOUBLE", "isSignificant": "BOOLEAN", "isWarmingUp": "BOOLEAN",
      "noAnswerRate": "DOUBLE", "promptsAnswered": "BIGINT", "promptsNamed": "BIGINT", "priorScores": "BIGINT"
    }]}}'
  ).data.perEngine as scores
  from published
),

listed as (select key, place, unnest(scores) as score, generate_subscripts(scores, 1) as number from given)

select
  key.*,
  score.slug as engine,
  score.isWebGrounded as is_web_grounded,
  score.date as date,
  score.score as score,
  score.bandLow as band_low,
  score.bandHigh as band_high,
  score.isSignificant as is_significant,
  score.isWarmingUp as is_warming_up,
  score.noAnswerRate as no_answer_rate,
  score.promptsAnswered as prompts_answered,
  score.promptsNamed as prompts_named,
  score.priorScores as prior_scores
from listed
order by key.sequence, place, number
