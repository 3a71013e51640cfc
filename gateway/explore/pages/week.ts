import type { Brands } from '../../../lib/documents/brands.ts';
import type { Competitors } from '../../../lib/documents/competitors.ts';
import type { Prompts } from '../../../lib/documents/prompts.ts';
import type { Results } from '../../../lib/documents/results.ts';
import type { Sources } from '../../../lib/documents/sources.ts';
import type { Stability } from '../../../lib/documents/stability.ts';
import type { Visibility } from '../../../lib/documents/visibility.ts';
import type { Mark, LinePoint } from './charts.ts';

/** The documents of a brand in one week. A document is null if it is not loaded. */
export interface BrandWeek {
  brand: Omit<Brands[number], 'createdAt'>;
  /** The instant of the snapshot. */
  asOf: string;
  visibility: Visibility;
  competitors: Competitors | null;
  results: Results | null;
  stability: Stability | null;
  sources: Sources | null;
  prompts: Prompts | null;
}

export interface EngineHistory {
  slug: string;
  /** Oldest first. */
  points: LinePoint[];
}

/**
 * Each engine's scores over time: the newest trend, with the bands of the weeks in which each score was the latest.
 * @param visibilities newest first
 */
export function engineHistories(visibilities: readonly Visibility[]): EngineHistory[] {
  const [newest] = visibilities;
  if (newest === undefined) return [];
  return newest.perEngine.map(({ slug, date, score }) => ({
    slug,
    points: (newest.trend[slug] ?? [{ date, score }]).map((point) => withBand(point, slug, visibilities)),
  }));
}

function withBand(
  { date, score }: { date: string; score: number },
  slug: string,
  visibilities: readonly Visibility[],
): LinePoint {
  const found = visibilities
    .flatMap(({ perEngine }) => perEngine)
    .find((engine) => engine.slug === slug && engine.date === date);
  return {
    date,
    score,
    bandLow: found?.bandLow ?? null,
    bandHigh: found?.bandHigh ?? null,
    isSignificant: found?.isSignificant ?? false,
    modelsChanged: found?.modelsChanged ?? false,
  };
}

/** The mean score of the engines in each cycle of the trend, oldest first. */
export function overallTrend({ trend }: Visibility): { date: string; value: number }[] {
  const byDate = new Map<string, number[]>();
  for (const { date, score } of Object.values(trend).flat()) {
    byDate.set(date, [...(byDate.get(date) ?? []), score]);
  }
  const dates = [...byDate.keys()].toSorted();
  return dates.map((date) => ({ date, value: mean(byDate.get(date)!) }));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What happened outside that concerns an engine: its own events, and those of all engines. */
export function marksFor(slug: string, { events }: Visibility): Mark[] {
  return events.filter((event) => event.slug === null || event.slug === slug);
}
