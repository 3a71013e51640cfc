import { z } from 'zod';
import {
  IN_USE_DAYS,
  MAX_PRIOR_SCORES,
  MIN_CYCLES,
  MIN_PROMPTS_FOUR_WEEKS,
  MIN_SCORES_FOUR_WEEKS,
  TREND_SIZE,
  WEEK_DAYS,
  WINDOW_DAYS,
} from '../methodology/constants.ts';
import { withRules } from './rules/rules.ts';
import { fourWeeks, samePrompts, unbranded } from './visibility-verdicts.ts';
import { brandReference, count, date, decimal, engineSlug, foldedText, link, percentage } from './shared.ts';
import {
  alertsAreSignificant,
  eventsAreInOrder,
  trendIsInOrder,
  verdictsAreJudged,
} from './rules/visibility.ts';

const promptsAnswered = count
  .min(1)
  .describe('Prompts that the engine answered in that cycle: the denominator of the score.');
const promptsNamed = count.describe('Those of them with at least one answer that named the brand.');

const answers = count
  .min(1)
  .describe(
    'Answers of the engine in that cycle. Divided by promptsAnswered: the runs for each prompt. A score rises with them, because one answer that names the brand is enough.',
  );

export const engineScore = z
  .strictObject({
    slug: engineSlug,
    isWebGrounded: z.boolean().describe('True if the engine searches the web before it answers.'),
    score: percentage.describe(
      'Percentage of the answered prompts in which the engine named the brand in its latest weekly cycle. For a 95 % interval of ± 10 points it takes about 100 prompts; 25 give ± 18.',
    ),
    date: date.describe('The cycle that the score belongs to.'),
    bandLow: percentage
      .nullable()
      .describe('Lower edge of the drift band, in which the score is expected; null while warming up.'),
    bandHigh: percentage.nullable().describe('Upper edge of the drift band; null while warming up.'),
    isSignificant: z
      .boolean()
      .describe(
        'True if the score is outside the drift band; never while warming up. By chance alone 0.7 to 4.2 % of scores are: a brand on 8 engines has a false alert in 5 to 29 % of weeks, and 24 such brands have 1 to 8 false alerts every week.',
      ),
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
    answers,
    samePrompts: samePrompts.nullable().describe('Null while warming up.'),
    fourWeeks: fourWeeks
      .nullable()
      .describe(
        `Null with fewer than ${MIN_SCORES_FOUR_WEEKS} scores, or fewer than ${MIN_PROMPTS_FOUR_WEEKS} prompts in common.`,
      ),
    models: z
      .array(foldedText)
      .describe(
        'The models that gave the answers of that cycle, as the tracker names them, sorted; empty if it names none.',
      ),
    modelsChanged: z
      .boolean()
      .nullable()
      .describe(
        'True if the models differ from those of the score before: the score may have moved for that reason alone. Null if either names no model.',
      ),
    unbranded,
  })
  .meta({ id: 'EngineScore', description: "An engine's latest score." });

const trendPoint = z
  .strictObject({
    date: date.describe('The cycle.'),
    score: percentage.describe('Visibility in that cycle.'),
    promptsAnswered,
    promptsNamed,
    answers,
  })
  .meta({ id: 'TrendPoint', description: "An engine's score in one cycle." });

const alert = z
  .strictObject({
    slug: engineSlug,
    score: percentage.describe('The score that is outside its band.'),
  })
  .meta({ id: 'Alert', description: 'An engine whose latest score is significant.' });

const silentEngine = z
  .strictObject({
    slug: engineSlug,
    lastAnswered: date.nullable().describe('The newest cycle in which it answered; null: never.'),
    runs: count.describe(
      `Runs of any status in the last ${WEEK_DAYS} days. 0: nobody asked it or nothing was delivered. More: it answered none of them.`,
    ),
  })
  .meta({ id: 'SilentEngine', description: 'An engine that was in use and gave no answer lately.' });

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
    avgPosition: decimal
      .min(1)
      .nullable()
      .describe(
        'Mean position of the brand in the answers that name it, one decimal: 1 is named first, lower is better; null if there are no mentions. It has no interval: small differences mean nothing.',
      ),
    mentions: count.describe('Mentions of the brand, classified or not.'),
    answers: count.describe(`Answers of all engines: the successful runs of the last ${WINDOW_DAYS} days.`),
    answersNaming: count.describe('Those of them that name the brand.'),
  })
  .meta({
    id: 'Signals',
    description: `Sentiment and position in the successful runs of the last ${WINDOW_DAYS} days.`,
  });

const event = z
  .strictObject({
    date: date.describe('The day on which it happened.'),
    slug: engineSlug.nullable().describe('The engine that it is about; null: all.'),
    text: foldedText.describe('What happened.'),
    url: link.nullable().describe('Where it is described; null if there is no link.'),
  })
  .meta({ id: 'OutsideEvent', description: 'Something outside that may move scores, such as a new model.' });

export const visibilityShape = z.strictObject({
  events: z
    .array(event)
    .describe(
      'Events that the tracker recorded since the oldest score of the trend, oldest first. They explain nothing by themselves: compare their dates with those of the scores.',
    ),
  brand: brandReference,
  overallVisibility: percentage.describe('Mean of the scores in perEngine; 0 if there are none.'),
  perEngine: z.array(engineScore).describe('The latest score of each engine that has one, by slug.'),
  trend: z
    .partialRecord(engineSlug, z.array(trendPoint).min(1))
    .describe(
      `The ${TREND_SIZE} most recent scores of all engines together, by engine slug, each list oldest first.`,
    ),
  moved: z
    .array(engineSlug)
    .describe(
      `The engines that moved when all are judged together, by slug (Benjamini and Hochberg at 5 %, over pValue of the engines with an answer in the last ${WEEK_DAYS} days). In simulations of 8 engines it names one by chance in 5 % of weeks. Lead with it. An alert that is not in it is possibly chance. Nothing controls the rate over many weeks.`,
    ),
  silent: z
    .array(silentEngine)
    .describe(
      `The engines that ran in the last ${IN_USE_DAYS} days and gave no answer in the last ${WEEK_DAYS}, by slug. Say this first: of such an engine nothing is known this week, so it is neither as usual nor moved, and nothing was won or lost on it.`,
    ),
  alerts: z
    .array(alert)
    .describe(
      'The engines whose latest score is significant; empty in a normal week. Some are chance: see isSignificant.',
    ),
  signals,
});

/** The `data` of the visibility document (methodology, Visibility). */
export const visibilitySchema = withRules(
  visibilityShape,
  alertsAreSignificant,
  trendIsInOrder,
  eventsAreInOrder,
  verdictsAreJudged,
).meta({ id: 'Visibility', description: 'How often the answer engines name a brand.' });

export type Visibility = z.infer<typeof visibilityShape>;
