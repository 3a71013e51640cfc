import { z } from 'zod';
import { MAX_PRIOR_SCORES, MIN_CYCLES, TREND_SIZE, WINDOW_DAYS } from '../methodology/constants.ts';
import { withRules } from './rules/rules.ts';
import { brandReference, count, date, engineSlug, hasOneDecimal, percentage } from './shared.ts';
import { alertsFollow, enginesAreSound, overallIsTheMean, signalsAgree } from './rules/visibility.ts';
import { trendIsSound } from './rules/trend.ts';

const promptsAnswered = count
  .min(1)
  .describe('Prompts that the engine answered in that cycle: the denominator of the score.');
const promptsNamed = count.describe('Those of them with at least one answer that named the brand.');

const engineScore = z
  .strictObject({
    slug: engineSlug,
    isWebGrounded: z.boolean().describe('True if the engine searches the web before it answers.'),
    score: percentage.describe(
      'Percentage of the answered prompts in which the engine named the brand in its latest weekly cycle.',
    ),
    date: date.describe('The cycle that the score belongs to.'),
    bandLow: percentage
      .nullable()
      .describe('Lower edge of the drift band, in which the score is expected; null while warming up.'),
    bandHigh: percentage.nullable().describe('Upper edge of the drift band; null while warming up.'),
    isSignificant: z
      .boolean()
      .describe('True if the score is outside the drift band; never while warming up.'),
    isWarmingUp: z
      .boolean()
      .describe(
        `True while the engine has fewer than ${MIN_CYCLES} earlier weekly scores; there is no band yet.`,
      ),
    noAnswerRate: percentage
      .nullable()
      .describe(
        `Percentage of the runs of the last ${WINDOW_DAYS} days, apart from failed ones, that got no answer. The score ignores these runs. Null, not 0, if every run was answered.`,
      ),
    promptsAnswered,
    promptsNamed,
    priorScores: count
      .max(MAX_PRIOR_SCORES)
      .describe(
        `How many earlier weekly scores the band is computed from, at most ${MAX_PRIOR_SCORES}. Also counted while warming up.`,
      ),
  })
  .meta({ id: 'EngineScore', description: "An engine's latest score." });

const trendPoint = z
  .strictObject({
    date: date.describe('The cycle.'),
    score: percentage.describe('Visibility in that cycle.'),
    promptsAnswered,
    promptsNamed,
  })
  .meta({ id: 'TrendPoint', description: "An engine's score in one cycle." });

const alert = z
  .strictObject({
    slug: engineSlug,
    score: percentage.describe('The score that is outside its band.'),
  })
  .meta({ id: 'Alert', description: 'An engine whose latest score is significant.' });

const signals = z
  .strictObject({
    netSentiment: z
      .number()
      .int()
      .min(-100)
      .max(100)
      .nullable()
      .describe('(positive − negative) / mentions × 100, rounded; null if there are no mentions.'),
    positive: count.describe('Mentions of the brand classified as positive.'),
    neutral: count.describe('Mentions of the brand classified as neutral.'),
    negative: count.describe('Mentions of the brand classified as negative.'),
    avgPosition: z
      .number()
      .min(1)
      .refine(hasOneDecimal, 'expected at most one decimal')
      .nullable()
      .describe(
        'Mean position of the brand in the answers that name it, one decimal: 1 is named first, lower is better; null if there are no mentions.',
      ),
    mentions: count.describe('Mentions of the brand, classified or not.'),
    answers: count.describe(`Answers of all engines: the successful runs of the last ${WINDOW_DAYS} days.`),
    answersNaming: count.describe('Those of them that name the brand.'),
  })
  .meta({
    id: 'Signals',
    description: `Sentiment and position in the successful runs of the last ${WINDOW_DAYS} days.`,
  });

const visibilityShape = z.strictObject({
  brand: brandReference,
  overallVisibility: percentage.describe('Mean of the scores in perEngine; 0 if there are none.'),
  perEngine: z.array(engineScore).describe('The latest score of each engine that has one, by slug.'),
  trend: z
    .partialRecord(engineSlug, z.array(trendPoint).min(1))
    .describe(
      `The ${TREND_SIZE} most recent scores of all engines together, by engine slug, each list oldest first.`,
    ),
  alerts: z.array(alert).describe('The engines whose latest score is significant; empty in a normal week.'),
  signals,
});

/** The `data` of the visibility document (methodology, Visibility). */
export const visibilitySchema = withRules(
  visibilityShape,
  enginesAreSound,
  overallIsTheMean,
  alertsFollow,
  trendIsSound,
  signalsAgree,
).meta({ id: 'Visibility', description: 'How often the answer engines name a brand.' });

export type Visibility = z.infer<typeof visibilityShape>;
