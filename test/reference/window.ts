import { add, fraction, nearest, round, roundDouble, studentQuantile, z } from './number.ts';
import { ownSiteOf, rowByEngine, totalsByEngine } from './questions.ts';
import { sourceTypes, webGrounded } from './records.ts';
import type { Run, Tracked } from './records.ts';
import { byText, hostOf } from './text.ts';

/** Mention entries of the brand (null) or of a competitor. */
function count(answers: readonly Run[], competitorId: string | null): number {
  return answers
    .flatMap((run) => run.mentions)
    .filter((m) => (competitorId === null ? m.subject === 'brand' : m.competitorId === competitorId)).length;
}

/** @param answers the answered runs of the window. */
export function competitorsOf(brand: Tracked, competitors: readonly Tracked[], answers: readonly Run[]) {
  const rows = [
    { id: '', name: brand.name!, isBrand: true, mentions: count(answers, null) },
    ...competitors.map(({ id, name }) => ({ id, name: name!, isBrand: false, mentions: count(answers, id) })),
  ].toSorted(
    (a, b) =>
      b.mentions - a.mentions ||
      Number(b.isBrand) - Number(a.isBrand) ||
      byText(a.name, b.name) ||
      byText(a.id, b.id),
  );
  const n = rows.reduce((sum, row) => sum + row.mentions, 0);
  const intervals = rows.map((row) => wilson(row.mentions, n));
  const own = intervals[rows.findIndex((row) => row.isBrand)]!;
  const tie = (a: Interval, b: Interval) => n > 0 && a.low <= b.high && b.low <= a.high;
  const gaps = gapsOf(
    rows.map(({ id, isBrand }) => (isBrand ? null : id)),
    answers,
  );
  const shareOfVoice = rows.map(({ id, name, isBrand, mentions }, index) => {
    const interval = intervals[index]!;
    return {
      name,
      isBrand,
      mentions,
      sovPct: n === 0 ? 0 : round(fraction(100 * mentions, n), 1),
      lowPct: roundDouble(100 * interval.low, 1),
      highPct: roundDouble(100 * interval.high, 1),
      halfWidthPp: roundDouble((100 * (interval.high - interval.low)) / 2, 1),
      tiedWithBrand: !isBrand && tie(interval, own),
      tiedForLead: tie(interval, intervals[0]!),
      behindLeader: gaps?.[index] ?? null,
      perEngine: rowByEngine(answers, (some) => count(some, isBrand ? null : id)),
      ...presenceOf(answers.filter((run) => count([run], isBrand ? null : id) > 0).length, answers.length),
    };
  });
  const [widest, second = 0] = intervals.map(({ low, high }) => (high - low) / 2).toSorted((a, b) => b - a);
  const floor = n === 0 ? 100 : Math.min(100, 100 * (1 + (z * z) / n) * (widest! + second));
  return {
    shareOfVoice,
    totalMentions: n,
    noiseFloorPp: roundDouble(floor, 1),
    leaders: shareOfVoice.filter((row) => row.tiedForLead).map((row) => row.name),
    leadersByPrompt:
      gaps === null ? null : shareOfVoice.filter((row) => !row.behindLeader?.isBehind).map((row) => row.name),
    answers: answers.length,
    perEngine: totalsByEngine(answers, (some) =>
      sumOf(rows.map(({ id, isBrand }) => count(some, isBrand ? null : id))),
    ),
  };
}

function presenceOf(answersNaming: number, answers: number) {
  const { low, high } = wilson(answersNaming, answers);
  return {
    answersNaming,
    presencePct: answers === 0 ? 0 : round(fraction(100 * answersNaming, answers), 1),
    presenceLowPct: roundDouble(100 * low, 1),
    presenceHighPct: roundDouble(100 * high, 1),
  };
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, each) => sum + each, 0);

/** @param ids of the rows in order, null for the brand; the result is null with mentions in fewer than five prompts. */
function gapsOf(ids: readonly (string | null)[], answers: readonly Run[]) {
  const prompts = [...Map.groupBy(answers, (run) => run.promptId).values()]
    .map((runs) => ids.map((id) => count(runs, id)))
    .filter((counts) => counts.some((mentions) => mentions > 0));
  if (prompts.length < 5) return null;
  const n = sumOf(prompts.map(sumOf));
  const t = Number(studentQuantile(prompts.length - 1));
  return ids.map((_, index) => {
    if (index === 0) return null;
    const behind = sumOf(prompts.map((counts) => counts[0]! - counts[index]!));
    const squares = prompts.map((counts) => {
      const off = add(fraction(counts[0]! - counts[index]!, 1), fraction(-behind * sumOf(counts), n));
      return fraction(off.top ** 2n, off.bottom ** 2n);
    });
    const sum = squares.reduce(add);
    const gapPp = round(fraction(100 * behind, n), 1);
    if (sum.top === 0n) return { gapPp, lowPp: gapPp, highPp: gapPp, isBehind: behind > 0 };
    const argument = nearest({
      top: BigInt(prompts.length) * sum.top,
      bottom: BigInt(prompts.length - 1) * sum.bottom,
    });
    const [centre, half] = [nearest(fraction(100 * behind, n)), (100 * t * Math.sqrt(argument)) / n];
    return {
      gapPp,
      lowPp: roundDouble(centre - half, 1),
      highPp: roundDouble(centre + half, 1),
      isBehind: centre - half > 0,
    };
  });
}

interface Interval {
  low: number;
  high: number;
}

export function wilson(x: number, n: number): Interval {
  if (n === 0) return { low: 0, high: 0 };
  const p = x / n;
  const d = 1 + z ** 2 / n;
  const centre = (p + z ** 2 / (2 * n)) / d;
  const half = (z / d) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
  return { low: x === 0 ? 0 : Math.max(0, centre - half), high: x === n ? 1 : Math.min(1, centre + half) };
}

/** @param answers the answered runs of the window. */
export function sourcesOf(brand: Tracked, competitors: readonly Tracked[], answers: readonly Run[]) {
  const grounded = answers.filter((run) => webGrounded.includes(run.engine));
  const citations = grounded.flatMap((run) =>
    run.citations.map((citation) => ({ run, type: citation.type, domain: hostOf(citation.url)! })),
  );
  const own = hostOf(brand.domain!);
  const sources = [...Map.groupBy(citations, ({ domain }) => domain)].map(([domain, entries]) => {
    const citing = [...new Set(entries.map(({ run }) => run))];
    const brandMentions = count(citing, null);
    const competitorMentions = competitors.reduce((sum, { id }) => sum + count(citing, id), 0);
    const typed = (type: string) => entries.filter((entry) => entry.type === type).length;
    return {
      domain,
      count: entries.length,
      sourceType: sourceTypes.toSorted((a, b) => typed(b) - typed(a))[0]!,
      competitorMentions,
      brandMentions,
      gap: competitorMentions - brandMentions,
      answers: citing.length,
      isOwnDomain: own !== null && (domain === own || domain.endsWith(`.${own}`)),
    };
  });
  return {
    sources: sources
      .toSorted((a, b) => b.gap - a.gap || b.count - a.count || byText(a.domain, b.domain))
      .slice(0, 20),
    ...ownSiteOf(brand, answers),
  };
}
