import { FALSE_DISCOVERY_RATE, WEEK_DAYS } from './constants.ts';
import type { EngineSlug } from './constants.ts';
import { MICROS_PER_DAY, utcDate } from './instant.ts';
import type { Micros } from './instant.ts';

/** The day before the first one that a cycle of the week of a snapshot can have; `YYYY-MM-DD`. */
export function dayBeforeWeek(asOf: Micros): string {
  return utcDate(asOf - BigInt(WEEK_DAYS) * MICROS_PER_DAY);
}

/**
 * The engines that moved when all are judged together (methodology, Questions: Benjamini and Hochberg).
 * @param compared the engines with `samePrompts` whose score is of the week, with their unrounded p
 * @returns slugs, alphabetical
 */
export function movedOf(compared: readonly { slug: EngineSlug; p: number }[]): EngineSlug[] {
  const ascending = compared.toSorted((a, b) => a.p - b.p);
  const bound = (index: number) => ((index + 1) * FALSE_DISCOVERY_RATE) / ascending.length;
  const last = ascending.findLastIndex(({ p }, index) => p <= bound(index));
  return ascending
    .slice(0, last + 1)
    .map(({ slug }) => slug)
    .toSorted();
}
