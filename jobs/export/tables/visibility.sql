-- One row per snapshot, brand and engine that has a score: perEngine of the visibility document. NULL in the band means
-- warming up; in no_answer_rate, that no answer was missing.
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
  entry.priorScores as prior_scores,
  entry.answers as answers,
  entry.samePrompts.prompts as same_prompts,
  entry.samePrompts.named as same_prompts_named,
  entry.samePrompts.expected as same_prompts_expected,
  entry.samePrompts.isSignificant as same_prompts_significant,
  nullif(array_to_string(entry.models, '; '), '') as models,
  entry.modelsChanged as models_changed,
  entry.unbranded.promptsAnswered as unbranded_answered,
  entry.unbranded.promptsNamed as unbranded_named
from entries_of(visibility.perEngine)
order by key.sequence, place, number
