import pMap from 'p-map';
import type { Visibility } from '../../lib/documents/visibility.ts';
import type { EngineSlug } from '../../lib/methodology/constants.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { documentPath } from '../layout.ts';
import type { Manifest } from '../manifest.ts';
import { isPruned, readData } from '../audit/show.ts';

/** One week of an engine. The band is from the snapshot in which this score was the latest; null if unknown. */
export interface EnginePoint {
  date: string;
  score: number;
  bandLow: number | null;
  bandHigh: number | null;
  isSignificant: boolean;
  isWarmingUp: boolean;
}

export interface EngineHistory {
  slug: EngineSlug;
  /** Oldest first. */
  points: EnginePoint[];
}

const READS_AT_ONCE = 8;

/** The visibility documents of a brand, newest first, without weeks that were pruned or did not have the brand. */
export async function readVisibilities(
  store: ObjectStore,
  manifests: readonly Manifest[],
  brandId: string,
): Promise<Visibility[]> {
  const path = documentPath(brandId, 'visibility');
  const found = await pMap(
    manifests.filter(({ documents }) => documents.some((document) => document.path === path)),
    async (manifest) =>
      (await isPruned(store, manifest)) ? null : await readData<Visibility>(store, manifest, path),
    { concurrency: READS_AT_ONCE },
  );
  return found.filter((document) => document !== null);
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
  point: { date: string; score: number },
  slug: EngineSlug,
  visibilities: readonly Visibility[],
): EnginePoint {
  for (const { perEngine } of visibilities) {
    const latest = perEngine.find((engine) => engine.slug === slug && engine.date === point.date);
    if (latest === undefined) continue;
    const { bandLow, bandHigh, isSignificant, isWarmingUp } = latest;
    return { ...point, bandLow, bandHigh, isSignificant, isWarmingUp };
  }
  return { ...point, bandLow: null, bandHigh: null, isSignificant: false, isWarmingUp: false };
}
