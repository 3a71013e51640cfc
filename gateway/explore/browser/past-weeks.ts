import type { Stability } from '../../../lib/documents/stability.ts';
import type { Band } from '../pages/week.ts';
import { WeekDocuments } from './documents.ts';
import type { Brand, Snapshot } from './documents.ts';
import { weeksBefore } from './weeks.ts';
import type { Session } from './weeks.ts';

/** The stability of the two weeks before, newest first; null for a week that has none. */
export async function stabilities(
  current: Session,
  brand: Brand,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<(Stability | null)[]> {
  const [first, second] = weeksBefore(current, snapshot);
  return await Promise.all(
    [first, second].map(async (week) => {
      if (week === undefined) return null;
      const documents = new WeekDocuments(current.requests, week, signal);
      return await documents.document<Stability>(brand, 'stability').catch(() => null);
    }),
  );
}

/** Bands of more weeks than this are not read. */
const BAND_WEEKS = 24;

/**
 * The drift bands of the weeks before, as they were published. One request for each week, for all brands together, as
 * long as half of the minute's requests are left.
 */
export async function bandsBefore(
  current: Session,
  brand: Brand,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<Band[]> {
  const found: Band[] = [];
  for (const week of weeksBefore(current, snapshot).slice(0, BAND_WEEKS)) {
    if (current.requests.isScarce) break;
    const bands = await new WeekDocuments(current.requests, week, signal).bands().catch(() => []);
    found.push(...bands.filter(({ brandId }) => brandId === brand.id));
  }
  return found;
}
