import type { Visibility } from '../../lib/documents/index.ts';
import { MAX_PRIOR_SCORES, predictionBand, roundDouble, roundRatio } from '../../lib/exact.ts';
import { engineSlugs, webGrounded } from '../../lib/methodology.ts';
import type { BrandRows, ScoreRow, SignalsRow, SilenceRow } from './rows.ts';

type EngineScore = Visibility['perEngine'][number];

/** The `data` of the visibility document, without its brand (spec 2.4; methodology, Visibility). */
export function visibilityOf({ scores, silence, signals }: BrandRows): Omit<Visibility, 'brand'> {
  const perEngine = engineSlugs.flatMap((slug) => {
    const ofEngine = scores.filter((row) => row.engine === slug);
    return ofEngine.length === 0
      ? []
      : [
          engineScoreOf(
            ofEngine,
            silence.find((row) => row.engine === slug),
          ),
        ];
  });
  const tenths = perEngine.reduce((sum, { score }) => sum + Math.round(score * 10), 0);
  return {
    overallVisibility: perEngine.length === 0 ? 0 : roundRatio(tenths, 10 * perEngine.length, 1),
    perEngine,
    trend: trendOf(scores),
    alerts: perEngine.filter((e) => e.isSignificant).map(({ slug, score }) => ({ slug, score })),
    signals: signalsOf(signals),
  };
}

/** @param rows the scores of one engine, oldest first. */
function engineScoreOf(rows: readonly ScoreRow[], silence: SilenceRow | undefined): EngineScore {
  const latest = rows.at(-1)!;
  const priors = rows.slice(0, -1).slice(-MAX_PRIOR_SCORES);
  const score = scoreOf(latest);
  const band = predictionBand(priors.map(scoreOf), latest.answered);
  const bandLow = band === null ? null : roundDouble(band.low, 1);
  const bandHigh = band === null ? null : roundDouble(band.high, 1);
  return {
    slug: latest.engine,
    isWebGrounded: webGrounded[latest.engine],
    score,
    date: latest.date,
    bandLow,
    bandHigh,
    isSignificant: bandLow !== null && bandHigh !== null && (score < bandLow || score > bandHigh),
    isWarmingUp: band === null,
    noAnswerRate:
      silence === undefined || silence.silent === 0
        ? null
        : roundRatio(100 * silence.silent, silence.silent + silence.answered, 1),
  };
}

function scoreOf({ named, answered }: ScoreRow): number {
  return roundRatio(100 * named, answered, 1);
}

function trendOf(scores: readonly ScoreRow[]): Visibility['trend'] {
  const trend: Visibility['trend'] = {};
  for (const row of scores) {
    if (row.in_trend) (trend[row.engine] ??= []).push({ date: row.date, score: scoreOf(row) });
  }
  return trend;
}

function signalsOf(row: SignalsRow | undefined): Visibility['signals'] {
  if (row === undefined) {
    return { netSentiment: null, positive: 0, neutral: 0, negative: 0, avgPosition: null, mentions: 0 };
  }
  const { positive, neutral, negative, mentions } = row;
  return {
    netSentiment: roundRatio(100 * (positive - negative), mentions, 0),
    positive,
    neutral,
    negative,
    avgPosition: roundRatio(row.position_sum, row.answers, 1),
    mentions,
  };
}
