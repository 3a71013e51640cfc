-- One row per snapshot, brand and engine that has a score: perEngine of the visibility document. NULL in the band means
-- warming up; in no_answer_rate, that no answer was missing; in a count, that the snapshot is older than the field.
select
  key.*,
  entry.slug as engine,
  entry.isWebGrounded as is_web_grounded,
  entry.date as date,
  entry.score as score,
  entry.bandLow as band_low,
  entry.bandHigh as band_high,
  entry.isSignificant as is_significant,
  entry.isWarmingUp as is_warming_up,
  entry.noAnswerRate as no_answer_rate,
  entry.promptsAnswered as prompts_answered,
  entry.promptsNamed as prompts_named,
  entry.priorScores as prior_scores
from entries_of(from_json(
  visibility,
  '{"data": {"perEngine": [{
    "slug": "VARCHAR", "isWebGrounded": "BOOLEAN", "date": "DATE", "score": "DOUBLE",
    "bandLow": "DOUBLE", "bandHigh": "DOUBLE", "isSignificant": "BOOLEAN", "isWarmingUp": "BOOLEAN",
    "noAnswerRate": "DOUBLE", "promptsAnswered": "BIGINT", "promptsNamed": "BIGINT", "priorScores": "BIGINT"
  }]}}'
).data.perEngine)
order by key.sequence, place, number
