import { add, fraction, published, round, roundDouble, studentQuantile, z } from './number.ts';
import type { Fraction } from './number.ts';
import { engines, webGrounded } from './records.ts';
import type { Run, Tracked } from './records.ts';
import { chanceOf, fourWeeksOf, movedOf, silentOf } from './questions.ts';
import { byText, tidy } from './text.ts';

/** What else a brand's visibility depends on. */
export interface Surroundings {
  /** Those of the brand in the window. */
  recent: readonly Run[];
  /** Those of the brand's workspace and of all, up to the day of the snapshot. */
  events: readonly Tracked[];
  /** Whether the text of a prompt, by its id, names the brand. */
  isBranded: (promptId: string) => boolean;
  asOf: bigint;
}

/** @param runs of the brand. */
export function visibilityOf(runs: readonly Run[], { recent, events, isBranded, asOf }: Surroundings) {
  const scores = engines.map((slug) => scoresOf(slug, runs));
  const judged = scores.filter((own) => own.length > 0).map((own) => ({ own, same: samePromptsOf(own) }));
  const perEngine = judged.map(({ own, same }) => ({
    ...latestOf(own, recent),
    ...verdictsOf(own, same?.published ?? null, isBranded),
  }));
  const sum = perEngine.map(({ score }) => published(score)).reduce(add, fraction(0, 1));
  const trend = trendOf(scores.flat());
  return {
    events: eventsOf(
      events,
      Object.values(trend).map((points) => points[0]!.date),
    ),
    overallVisibility: perEngine.length === 0 ? 0 : round(over(sum, perEngine.length), 1),
    perEngine,
    trend,
    moved: movedOf(
      judged.map(({ own, same }) => ({ ...own.at(-1)!, p: same?.p ?? null })),
      asOf,
    ),
    silent: silentOf(runs, asOf),
    alerts: perEngine.filter((engine) => engine.isSignificant).map(({ slug, score }) => ({ slug, score })),
    signals: signalsOf(recent),
  };
}

function over({ top, bottom }: Fraction, count: number): Fraction {
  return { top, bottom: bottom * BigInt(count) };
}

type Score = ReturnType<typeof scoresOf>[number];

/** Oldest first. */
function scoresOf(slug: string, runs: readonly Run[]) {
  const answers = runs.filter((run) => run.engine === slug && run.status === 'success');
  return [...new Set(answers.map((run) => run.cycle))].toSorted().map((date) => {
    const ofCycle = answers.filter((run) => run.cycle === date);
    const answered = new Set(ofCycle.map((run) => run.promptId));
    const named = new Set(
      ofCycle.filter((run) => run.mentions.some((m) => m.subject === 'brand')).map((run) => run.promptId),
    );
    const score = round(fraction(100 * named.size, answered.size), 1);
    return { slug, date, score, answered, named, answers: ofCycle };
  });
}

function latestOf(own: readonly Score[], recent: readonly Run[]) {
  const { slug, date, score, answered, named } = own.at(-1)!;
  const prior = own.slice(0, -1).slice(-12);
  const edges = bandOf(
    prior.map((each) => each.score),
    answered.size,
  );
  const band = edges && { low: roundDouble(edges.low, 1), high: roundDouble(edges.high, 1) };
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
    promptsAnswered: answered.size,
    promptsNamed: named.size,
    priorScores: prior.length,
  };
}

function verdictsOf(own: readonly Score[], samePrompts: object | null, isBranded: Surroundings['isBranded']) {
  const latest = own.at(-1)!;
  const [models, before] = [latest, own.at(-2)].map((score) => modelsOf(score?.answers ?? []));
  const unbranded = [...latest.answered].filter((id) => !isBranded(id));
  const isKnown = models!.length > 0 && before!.length > 0;
  return {
    answers: latest.answers.length,
    samePrompts,
    fourWeeks: fourWeeksOf(own),
    models,
    modelsChanged: isKnown ? models!.join('\n') !== before!.join('\n') : null,
    unbranded: {
      promptsAnswered: unbranded.length,
      promptsNamed: unbranded.filter((id) => latest.named.has(id)).length,
    },
  };
}

function modelsOf(answers: readonly Run[]): string[] {
  const models = answers.map(({ model }) => tidy(model ?? '')).filter((model) => model !== '');
  return [...new Set(models)].toSorted(byText);
}

function samePromptsOf(own: readonly Score[]) {
  const [latest, prior] = [own.at(-1)!, own.slice(0, -1).slice(-12)];
  if (prior.length < 4) return null;
  const same = [...latest.answered].filter((id) => prior.some(({ answered }) => answered.has(id)));
  const named = same.filter((id) => latest.named.has(id)).length;
  let expected = fraction(0, 1);
  let variance = fraction(0, 1);
  for (const id of same) {
    const cycles = [latest, ...prior].filter(({ answered }) => answered.has(id));
    const [m, a] = [cycles.filter((score) => score.named.has(id)).length, cycles.length];
    expected = add(expected, fraction(m, a));
    variance = add(variance, fraction(m * (a - m), a * a));
  }
  const d = add(fraction(named, 1), { top: -expected.top, bottom: expected.bottom });
  const excess = add({ top: d.top < 0n ? -d.top : d.top, bottom: d.bottom }, fraction(-1, 2));
  const decimal = fraction(1_959_963_984_540_054n, 1_000_000_000_000_000n);
  const isSignificant =
    variance.top > 0n &&
    excess.top > 0n &&
    excess.top ** 2n * variance.bottom * decimal.bottom ** 2n >
      excess.bottom ** 2n * variance.top * decimal.top ** 2n;
  const { p, published: chance } = chanceOf(same, [latest, ...prior], named, variance);
  const counts = { prompts: same.length, named, expected: round(expected, 1), isSignificant };
  return { p, published: { ...counts, ...chance } };
}

/** @param oldest the date of the oldest point of each series of the trend. */
function eventsOf(events: readonly Tracked[], oldest: readonly string[]) {
  const since = oldest.toSorted()[0];
  return events
    .filter(({ date }) => since !== undefined && date! >= since)
    .map(({ id, date, engine, text, url }) => ({ id, date: date!, slug: engine!, text: tidy(text!), url }))
    .toSorted(
      (a, b) =>
        byText(a.date, b.date) ||
        byText(a.slug ?? '', b.slug ?? '') ||
        byText(a.text, b.text) ||
        byText(a.id, b.id),
    )
    .map(({ id: _id, ...event }) => event);
}

/** @param scores the prior ones; @param n prompts answered now */
export function bandOf(scores: readonly number[], n: number): { low: number; high: number } | null {
  const k = scores.length;
  if (k < 4) return null;
  const sum = scores.map(published).reduce(add);
  const mean = over(sum, k);
  const squares = scores.map((score) => {
    const off = add(published(score), { top: -mean.top, bottom: mean.bottom });
    return { top: off.top * off.top, bottom: off.bottom * off.bottom };
  });
  const m = toDouble(mean);
  const s = Math.sqrt(toDouble(over(squares.reduce(add), k - 1)));
  const p = ((n * m) / 100 + 2) / (n + 4);
  const e = 100 * Math.sqrt((p * (1 - p)) / (n + 4));
  const half = Math.max(Number(studentQuantile(k - 1)) * s, z * e) * Math.sqrt(1 + 1 / k);
  return { low: Math.max(0, m - half), high: Math.min(100, m + half) };
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

function pointOf({ date, score, answered, named, answers }: Score) {
  return {
    date,
    score,
    promptsAnswered: answered.size,
    promptsNamed: named.size,
    answers: answers.length,
  };
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
