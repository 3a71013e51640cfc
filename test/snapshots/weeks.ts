import { visibilityOf } from '../../jobs/weekly/documents/visibility/visibility.ts';
import type { ScoreRow } from '../../jobs/weekly/documents/visibility/visibility.ts';
import { engineSlugs } from '../../lib/methodology/constants.ts';
import { presence, shareOfVoice as sharesOf } from '../../lib/methodology/share-of-voice.ts';
import type { Documents } from '../../lib/documents/schemas.ts';
import { CYCLES_MULTIPLE } from '../../lib/methodology/same-prompts.ts';
import type { SamePromptCounts } from '../../lib/methodology/same-prompts.ts';
import type { Week } from '../../snapshots/diff/causes.ts';

export type { Week } from '../../snapshots/diff/causes.ts';

export const brand = { id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01', name: 'Acme', domain: 'acme.example' };

export const engines = engineSlugs.slice(0, 3);
export const dateOf = (cycle: number) =>
  new Date(Date.UTC(2026, 0, 5) + cycle * 7 * 86_400_000).toISOString().slice(0, 10);

/** Prompts named out of those answered, for each engine, and mentions of each name, in one week. */
export interface Counts {
  named: number[];
  mentions: number[];
}

/** A week as the job publishes it, from the counts of every week up to it. */
export function weekOf(history: readonly Counts[]): Week {
  const scores = engines.flatMap((engine, index) =>
    history.map(({ named }, cycle): ScoreRow => ({
      slug: engine,
      date: dateOf(cycle),
      answers: 20,
      promptsAnswered: 20,
      promptsNamed: named[index]!,
      inTrend: true,
    })),
  );
  const mentions = history.at(-1)!.mentions;
  const shares = mentions.map((count, index) => ({
    name: index === 0 ? brand.name : `Rival ${index}`,
    isBrand: index === 0,
    mentions: count,
  }));
  const ordered = shares.toSorted((a, b) => b.mentions - a.mentions || Number(b.isBrand) - Number(a.isBrand));
  const promptCounts = engines.map((slug, index) => ({
    slug,
    unbrandedAnswered: 0,
    unbrandedNamed: 0,
    samePrompts: samePromptCounts(history.slice(-13).map(({ named }) => named[index]!)),
    fourWeeks: { prompts: 0, named: 0, expected: 0n, squares: 0n },
  }));
  return {
    asOf: `${dateOf(history.length - 1)}T12:00:00.000Z`,
    methodologyVersion: '1.0',
    documents: {
      visibility: {
        brand,
        ...visibilityOf({ ...nothing, scores, promptCounts }, dateOf(history.length - 2)),
      },
      competitors: { brand, ...competitorsOf(ordered) },
      stability: { brand, minCycles: 4, prompts: [] },
      sources: { brand, sources: [], answers: 0, answersCiting: 0, citations: 0, domains: 0, ownSite: null },
      results: { brand, prompts: [] },
      timeline: { brand, engines: [], names: [{ name: brand.name, isBrand: true, engines: [] }] },
      prompts: { brand, prompts: [] },
    },
  };
}

const nothing = { noAnswers: [], signals: [], models: [], events: [], silent: [] };
const bigSum = (values: readonly number[]) => BigInt(values.reduce((total, value) => total + value, 0));

/** In a week in which k prompts are named, it is the first k of 20. */
function samePromptCounts(named: readonly number[]): SamePromptCounts {
  if (named.length < 2)
    return { prompts: 0, named: 0, expected: 0n, variance: 0n, cycles: [], namedCycles: [] };
  const namedCycles = Array.from({ length: 20 }, (_, prompt) => named.filter((k) => k > prompt).length);
  const unit = CYCLES_MULTIPLE / named.length;
  return {
    prompts: 20,
    named: named.at(-1)!,
    expected: bigSum(namedCycles.map((m) => m * unit)),
    variance: bigSum(namedCycles.map((m) => m * (named.length - m) * unit ** 2)),
    cycles: namedCycles.map(() => named.length),
    namedCycles,
  };
}

/** As from one prompt, with one mention in each answer. */
function competitorsOf(rows: Parameters<typeof sharesOf>[0]): Omit<Documents['competitors'], 'brand'> {
  const total = rows.reduce((sum, { mentions }) => sum + mentions, 0);
  const { shareOfVoice, ...shares } = sharesOf(rows, total);
  const judged = shareOfVoice.map((row) => ({
    ...row,
    behindLeader: null,
    perEngine: [{ slug: engines[0]!, mentions: row.mentions, answersNaming: row.mentions }],
    ...presence(row.mentions, total),
  }));
  const perEngine = [{ slug: engines[0]!, answers: total, totalMentions: total }];
  return { shareOfVoice: judged, ...shares, leadersByPrompt: null, answers: total, perEngine };
}
