import type { Brands } from '../../../lib/documents/brands.ts';
import type { Competitors } from '../../../lib/documents/competitors.ts';
import type { Prompts } from '../../../lib/documents/prompts.ts';
import type { Results } from '../../../lib/documents/results.ts';
import type { Sources } from '../../../lib/documents/sources.ts';
import type { Stability } from '../../../lib/documents/stability.ts';
import type { Timeline } from '../../../lib/documents/timeline.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import { roundRatio } from '../../../lib/methodology/exact.ts';
import { compareText } from '../../../lib/methodology/text.ts';
import { dayInWords, engineName, listOf } from '../../../lib/weeks/names.ts';
import { mondayOf } from '../../../lib/weeks/weeks.ts';
import type { RivalsChart, ScorePoint } from './parts.ts';

/** The documents of a brand in one week. */
export interface BrandWeek {
  brand: Omit<Brands[number], 'createdAt'>;
  /** The instant of the snapshot. */
  asOf: string;
  visibility: Visibility;
  competitors: Competitors;
  results: Results;
  stability: Stability;
  sources: Sources;
  prompts: Prompts;
  timeline: Timeline;
}

/** The documents of an earlier week, which numbers are compared with. */
export type EarlierWeek = Pick<
  BrandWeek,
  'asOf' | 'visibility' | 'competitors' | 'results' | 'prompts' | 'sources'
>;

/** `23 November`: the Monday of a week, with its year if that is not the year of today's week. */
export function mondayInWords(asOf: string, today: string): string {
  return dayInWords(mondayOf(asOf), today);
}

/** The one name that a week has everywhere. */
export function weekName(asOf: string, today: string): string {
  return `week of ${mondayInWords(asOf, today)}`;
}

/** The drift band of an engine's score in one cycle, as the snapshot of its week published it. */
export interface Band extends Omit<ScorePoint, 'score'> {
  slug: string;
}

export interface EngineHistory {
  slug: string;
  /** Oldest first. */
  points: ScorePoint[];
}

/** Each engine's scores, of every cycle of the timeline, with the bands that are known. */
export function engineHistories(
  { timeline, visibility }: BrandWeek,
  bands: readonly Band[],
): EngineHistory[] {
  const own = timeline.names.find(({ isBrand }) => isBrand)!;
  const known = new Map(bands.map((band) => [`${band.slug} ${band.date}`, band]));
  for (const engine of visibility.perEngine)
    known.set(`${engine.slug} ${engine.date}`, { ...engine, modelsChanged: engine.modelsChanged === true });
  return timeline.engines.map(({ slug, dates, promptsAnswered }, at) => ({
    slug,
    points: dates.map((date, index) => {
      const band = known.get(`${slug} ${date}`);
      return {
        date,
        score: roundRatio(100 * own.engines[at]!.promptsNamed[index]!, promptsAnswered[index]!, 1),
        bandLow: band?.bandLow ?? null,
        bandHigh: band?.bandHigh ?? null,
        isSignificant: band?.isSignificant ?? false,
        modelsChanged: band?.modelsChanged ?? false,
      };
    }),
  }));
}

/** More lines cannot be followed. */
const RIVALS = 5;
const YEAR_WEEKS = 53;

/**
 * Which part of the answered prompts named the brand and its foremost rivals, week by week over all engines. Somebody
 * must have been mentioned.
 */
export function rivalsChart({ brand, timeline, competitors }: BrandWeek): RivalsChart {
  const foremost = competitors.shareOfVoice.filter(({ isBrand }) => !isBrand).slice(0, RIVALS);
  const lines = [
    timeline.names.find(({ isBrand }) => isBrand)!,
    ...foremost.map(({ name }) => timeline.names.find((each) => !each.isBrand && each.name === name)!),
  ];
  return {
    kind: 'rivals',
    title: `${brand.name} and its rivals over time: prompts that name each, in percent`,
    lines: lines.map((name) => ({
      name: name.name,
      isBrand: name.isBrand,
      points: weeklyShares(name, timeline),
    })),
  };
}

function weeklyShares(
  { engines }: Timeline['names'][number],
  timeline: Timeline,
): { date: string; value: number }[] {
  const weeks = new Map<string, { named: number; answered: number }>();
  for (const [at, { dates, promptsAnswered }] of timeline.engines.entries()) {
    for (const [index, date] of dates.entries()) {
      const week = mondayOf(date);
      const sum = weeks.get(week) ?? { named: 0, answered: 0 };
      sum.named += engines[at]!.promptsNamed[index]!;
      sum.answered += promptsAnswered[index]!;
      weeks.set(week, sum);
    }
  }
  return [...weeks]
    .toSorted(([a], [b]) => compareText(a, b))
    .slice(-YEAR_WEEKS)
    .map(([date, { named, answered }]) => ({ date, value: roundRatio(100 * named, answered, 1) }));
}

/** Silent engines by the day of their last answer, in words such as `Grok and Claude: no answer since 9 November`. */
export function silentGroups<Silent extends { slug: string; lastAnswered: string | null }>(
  silent: readonly Silent[],
  asOf: string,
): { engines: Silent[]; text: string }[] {
  return [...Map.groupBy(silent, ({ lastAnswered }) => lastAnswered)].map(([lastAnswered, engines]) => {
    const names = listOf(engines.map(({ slug }) => engineName(slug)));
    const since =
      lastAnswered === null ? 'never answered' : `no answer since ${dayInWords(lastAnswered, asOf)}`;
    return { engines, text: `${names}: ${since}` };
  });
}

/** `was 56.2`; nothing if it is not known, or the same. */
export function wasText<Value extends number | string>(
  before: Value | null | undefined,
  now: Value | null | undefined,
): string | null {
  return before === null || before === undefined || before === now ? null : `was ${before}`;
}

/** False without a share of voice: nobody was mentioned, or the brand has no competitors. */
export function isCounted({ totalMentions, names }: { totalMentions: number; names: number }): boolean {
  return totalMentions > 0 && names > 1;
}

/** The brand's row and its place, from 1; null if nobody was mentioned. */
export function ownShare({ shareOfVoice, totalMentions }: Competitors) {
  if (totalMentions === 0) return null;
  const index = shareOfVoice.findIndex(({ isBrand }) => isBrand);
  return { ...shareOfVoice[index]!, rank: index + 1, names: shareOfVoice.length };
}
