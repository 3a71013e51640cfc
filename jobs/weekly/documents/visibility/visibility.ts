import type { Visibility } from '../../../../lib/documents/visibility.ts';
import { driftBand, roundDouble } from '../../../../lib/methodology/exact.ts';
import {
  engineSlugs,
  MAX_PRIOR_SCORES,
  TREND_SIZE,
  webGrounded,
} from '../../../../lib/methodology/constants.ts';
import type { EngineSlug } from '../../../../lib/methodology/constants.ts';
import {
  alertsOf,
  averagePosition,
  isSignificant,
  netSentiment,
  noAnswerRate,
  overallVisibility,
  scoreOf,
} from '../../../../lib/methodology/visibility.ts';
import { documentFromRows, query } from '../document.ts';
import type { Rows } from '../document.ts';

type EngineScore = Visibility['perEngine'][number];

/** Prompts answered and prompts that named the brand, on an engine in a cycle. */
export interface ScoreRow extends Pick<EngineScore, 'slug' | 'date' | 'promptsAnswered' | 'promptsNamed'> {
  inTrend: boolean;
}

/** Runs on an engine in the window. */
interface NoAnswerRow {
  slug: EngineSlug;
  silent: number;
  answered: number;
}

interface SignalsRow extends Omit<Visibility['signals'], 'netSentiment' | 'avgPosition' | 'answers'> {
  /** The sum of the brand's best position in each answer that names it. */
  positionSum: bigint;
}

const queries = {
  /** Of each engine oldest first. */
  scores: query<ScoreRow>(import.meta, 'engine-scores', {
    trend_size: TREND_SIZE,
    band_scores: MAX_PRIOR_SCORES + 1,
  }),
  noAnswers: query<NoAnswerRow>(import.meta, 'no-answers'),
  /** One row of a brand at most. */
  signals: query<SignalsRow>(import.meta, 'signals'),
};

/** The visibility document (methodology, Visibility). */
export const visibility = documentFromRows('visibility', queries, visibilityOf);

/** The `data` of the document without its brand. */
export function visibilityOf({
  scores,
  noAnswers,
  signals,
}: Rows<typeof queries>): Omit<Visibility, 'brand'> {
  const perEngine = engineSlugs.flatMap((slug) => {
    const ofEngine = scores.filter((row) => row.slug === slug);
    const noAnswer = noAnswers.find((row) => row.slug === slug);
    return ofEngine.length === 0 ? [] : [engineScoreOf(ofEngine, noAnswer)];
  });
  return {
    overallVisibility: overallVisibility(perEngine),
    perEngine,
    trend: trendOf(scores),
    alerts: alertsOf(perEngine),
    signals: signalsOf(
      signals[0],
      noAnswers.reduce((sum, { answered }) => sum + answered, 0),
    ),
  };
}

/** @param rows the scores of one engine, oldest first. */
function engineScoreOf(rows: readonly ScoreRow[], noAnswer: NoAnswerRow | undefined): EngineScore {
  const latest = rows.at(-1)!;
  const priors = rows.slice(0, -1).slice(-MAX_PRIOR_SCORES);
  const band = driftBand(priors.map(scoreOf), latest.promptsAnswered);
  const published = {
    score: scoreOf(latest),
    bandLow: band === null ? null : roundDouble(band.low, 1),
    bandHigh: band === null ? null : roundDouble(band.high, 1),
  };
  return {
    slug: latest.slug,
    isWebGrounded: webGrounded[latest.slug],
    date: latest.date,
    ...published,
    isSignificant: isSignificant(published),
    isWarmingUp: band === null,
    noAnswerRate: noAnswer === undefined ? null : noAnswerRate(noAnswer),
    promptsAnswered: latest.promptsAnswered,
    promptsNamed: latest.promptsNamed,
    priorScores: priors.length,
  };
}

function trendOf(scores: readonly ScoreRow[]): Visibility['trend'] {
  const trend: Visibility['trend'] = {};
  for (const row of scores) {
    const { date, promptsAnswered, promptsNamed } = row;
    const point = { date, score: scoreOf(row), promptsAnswered, promptsNamed };
    if (row.inTrend) (trend[row.slug] ??= []).push(point);
  }
  return trend;
}

const noMentions = { positive: 0, neutral: 0, negative: 0, mentions: 0, answersNaming: 0, positionSum: 0n };

/** @param row absent if no answer names the brand */
function signalsOf(row: SignalsRow = noMentions, answers: number): Visibility['signals'] {
  const { positionSum, answersNaming, ...counts } = row;
  const avgPosition = averagePosition(positionSum, answersNaming);
  return { netSentiment: netSentiment(row), ...counts, avgPosition, answers, answersNaming };
}
