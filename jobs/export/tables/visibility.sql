-- One row per snapshot, brand and engine that has a score: perEngine of the visibility document. NULL in the band means
-- warming up; in no_answer_rate, that no answer was missing.
select
  key.*,
  entry.engine.slug as engine,
  entry.engine.isWebGrounded as is_web_grounded,
  entry.engine.date as date,
  entry.engine.score as score,
  entry.engine.bandLow as band_low,
  entry.engine.bandHigh as band_high,
  entry.engine.isSignificant as is_significant,
  entry.engine.isWarmingUp as is_warming_up,
  entry.engine.noAnswerRate as no_answer_rate,
  entry.engine.promptsAnswered as prompts_answered,
  entry.engine.promptsNamed as prompts_named,
  entry.engine.priorScores as prior_scores,
  entry.engine.answers as answers,
  entry.engine.samePrompts.prompts as same_prompts,
  entry.engine.samePrompts.named as same_prompts_named,
  entry.engine.samePrompts.expected as same_prompts_expected,
  entry.engine.samePrompts.isSignificant as same_prompts_significant,
  nullif(array_to_string(entry.engine.models, '; '), '') as models,
  entry.engine.modelsChanged as models_changed,
  entry.engine.unbranded.promptsAnswered as unbranded_answered,
  entry.engine.unbranded.promptsNamed as unbranded_named,
  entry.engine.samePrompts.pValue as same_prompts_p_value,
  entry.engine.samePrompts.detectablePp as detectable_pp,
  entry.hasMoved as has_moved,
  entry.engine.fourWeeks.prompts as four_weeks_prompts,
  entry.engine.fourWeeks.named as four_weeks_named,
  entry.engine.fourWeeks.expected as four_weeks_expected,
  entry.engine.fourWeeks.isSignificant as four_weeks_significant
from entries_of(list_transform(visibility.perEngine, lambda each: {
  'engine': each, 'hasMoved': list_contains(visibility.moved, each.slug)
}))
order by key.sequence, place, number
