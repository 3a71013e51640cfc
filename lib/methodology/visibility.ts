import type { Visibility } from '../documents/visibility.ts';
import { roundRatio } from './exact.ts';

type EngineScore = Visibility['perEngine'][number];

/** The percentage of the answered prompts that named the brand, one decimal (methodology, Visibility). */
export function scoreOf({
  promptsAnswered,
  promptsNamed,
}: Pick<EngineScore, 'promptsAnswered' | 'promptsNamed'>): number {
  return roundRatio(100 * promptsNamed, promptsAnswered, 1);
}

/** The mean of published scores, one decimal; 0 if there are none (methodology, Visibility). */
export function overallVisibility(perEngine: readonly Pick<EngineScore, 'score'>[]): number {
  const tenths = perEngine.reduce((sum, { score }) => sum + Math.round(score * 10), 0);
  return perEngine.length === 0 ? 0 : roundRatio(tenths, 10 * perEngine.length, 1);
}

/** True for a published score outside the published band; false without a band. */
export function isSignificant({
  score,
  bandLow,
  bandHigh,
}: Pick<EngineScore, 'score' | 'bandLow' | 'bandHigh'>): boolean {
  return bandLow !== null && bandHigh !== null && (score < bandLow || score > bandHigh);
}

/** The engines whose score is significant. */
export function alertsOf(perEngine: readonly EngineScore[]): Visibility['alerts'] {
  return perEngine.filter((engine) => engine.isSignificant).map(({ slug, score }) => ({ slug, score }));
}

/** True if the models differ from those of the score before; null if either has none (methodology, Verdicts). */
export function modelsChanged(models: readonly string[], before: readonly string[]): boolean | null {
  if (models.length === 0 || before.length === 0) return null;
  return new Set(models).symmetricDifference(new Set(before)).size > 0;
}

/** From −100 to 100, a whole number; null if there are no mentions (methodology, Visibility). */
export function netSentiment({
  positive,
  negative,
  mentions,
}: Pick<Visibility['signals'], 'positive' | 'negative' | 'mentions'>): number | null {
  return mentions === 0 ? null : roundRatio(100 * (positive - negative), mentions, 0);
}

/**
 * The percentage of an engine's runs without an answer, one decimal; null, not 0, if all were answered (methodology,
 * Visibility).
 */
export function noAnswerRate({ silent, answered }: { silent: number; answered: number }): number | null {
  return silent === 0 ? null : roundRatio(100 * silent, silent + answered, 1);
}

/**
 * The mean of the brand's best positions, one decimal; null if no answer names it (methodology, Visibility).
 * @param positionSum the sum of the best position in each of these answers
 */
export function averagePosition(positionSum: bigint, answersNaming: number): number | null {
  return answersNaming === 0 ? null : roundRatio(positionSum, answersNaming, 1);
}
