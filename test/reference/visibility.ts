import { add, fraction, published, round, roundDouble, z } from './number.ts';
import type { Fraction } from './number.ts';
import { engines, webGrounded } from './records.ts';
import type { Run } from './records.ts';

const student = [3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139, 2.200985];

interface Score {
  slug: string;
  date: string;
  score: number;
  answered: number;
  named: number;
}

/** @param runs of the brand; @param recent those of them in the window. */
export function visibilityOf(runs: readonly Run[], recent: readonly Run[]) {
  const scores = engines.map((slug) => scoresOf(slug, runs));
  const perEngine = scores.filter((own) => own.length > 0).map((own) => latestOf(own, recent));
  const sum = perEngine.map(({ score }) => published(score)).reduce(add, fraction(0, 1));
  return {
    overallVisibility: perEngine.length === 0 ? 0 : round(over(sum, perEngine.length), 1),
    perEngine,
    trend: trendOf(scores.flat()),
    alerts: perEngine.filter((engine) => engine.isSignificant).map(({ slug, score }) => ({ slug, score })),
    signals: signalsOf(recent),
  };
}

function over({ top, bottom }: Fraction, count: number): Fraction {
  return { top, bottom: bottom * BigInt(count) };
}

/** Oldest first. */
function scoresOf(slug: string, runs: readonly Run[]): Score[] {
  const answers = runs.filter((run) => run.engine === slug && run.status === 'success');
  return [...new Set(answers.map((run) => run.cycle))].toSorted().map((date) => {
    const ofCycle = answers.filter((run) => run.cycle === date);
    const answered = new Set(ofCycle.map((run) => run.promptId));
    const named = new Set(
      ofCycle.filter((run) => run.mentions.some((m) => m.subject === 'brand')).map((run) => run.promptId),
    );
    return {
      slug,
      date,
      score: round(fraction(100 * named.size, answered.size), 1),
      answered: answered.size,
      named: named.size,
    };
  });
}

function latestOf(own: readonly Score[], recent: readonly Run[]) {
  const { slug, date, score, answered, named } = own.at(-1)!;
  const prior = own.slice(0, -1).slice(-12);
  const band = bandOf(prior, answered);
  const asked = recent.filter((run) => run.engine === slug && run.status !== 'failed');
  const silent = asked.filter((run) => run.status === 'no_answer').length;
  return {
    slug,
    isWebGrounded: webGrounded.includes(slug),
    score,
    date,
    bandLow: band?.low ?? null,
    bandHigh: band?.high ?? null,
    isSignificant: band !== null && (score < band.low || score > band.high),
    isWarmingUp: band === null,
    noAnswerRate: silent === 0 ? null : round(fraction(100 * silent, asked.length), 1),
    promptsAnswered: answered,
    promptsNamed: named,
    priorScores: prior.length,
  };
}

function bandOf(prior: readonly Score[], n: number): { low: number; high: number } | null {
  const k = prior.length;
  if (k < 4) return null;
  const sum = prior.map(({ score }) => published(score)).reduce(add);
  const mean = over(sum, k);
  const squares = prior.map(({ score }) => {
    const off = add(published(score), { top: -mean.top, bottom: mean.bottom });
    return { top: off.top * off.top, bottom: off.bottom * off.bottom };
  });
  const m = toDouble(mean);
  const s = Math.sqrt(toDouble(over(squares.reduce(add), k - 1)));
  const p = ((n * m) / 100 + 2) / (n + 4);
  const e = 100 * Math.sqrt((p * (1 - p)) / (n + 4));
  const half = Math.max(student[k - 4]! * s, z * e) * Math.sqrt(1 + 1 / k);
  return { low: roundDouble(Math.max(0, m - half), 1), high: roundDouble(Math.min(100, m + half), 1) };
}

function toDouble({ top, bottom }: Fraction): number {
  const scale = 10n ** 30n;
  return Number((top * scale) / bottom) / 1e30;
}

function trendOf(scores: readonly Score[]) {
  const newestFirst = scores.toSorted(
    (a, b) => Number(a.date < b.date) - Number(a.date > b.date) || (a.slug < b.slug ? -1 : 1),
  );
  const kept = newestFirst.slice(0, 120).toReversed();
  const series = engines.map((slug) => {
    const points = kept.filter((score) => score.slug === slug);
    return [slug, points.map(pointOf)] as const;
  });
  return Object.fromEntries(series.filter(([, points]) => points.length > 0));
}

function pointOf({ date, score, answered, named }: Score) {
  return { date, score, promptsAnswered: answered, promptsNamed: named };
}

function signalsOf(recent: readonly Run[]) {
  const answers = recent
    .map((run) => run.mentions.filter((mention) => mention.subject === 'brand'))
    .filter((mentions) => mentions.length > 0);
  const mentions = answers.flat();
  const feeling = (sentiment: string) => mentions.filter((m) => m.sentiment === sentiment).length;
  const [positive, neutral, negative] = [feeling('positive'), feeling('neutral'), feeling('negative')];
  const best = answers.reduce((sum, own) => sum + BigInt(Math.min(...own.map((m) => m.position))), 0n);
  const isNamed = mentions.length > 0;
  return {
    netSentiment: isNamed ? round(fraction(100 * (positive - negative), mentions.length), 0) : null,
    positive,
    neutral,
    negative,
    avgPosition: isNamed ? round(fraction(best, answers.length), 1) : null,
    mentions: mentions.length,
    answers: recent.filter((run) => run.status === 'success').length,
    answersNaming: answers.length,
  };
}
