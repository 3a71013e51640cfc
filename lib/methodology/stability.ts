import type { Placement } from '../documents/stability.ts';
import { CORE_PERCENT, EMERGING_PERCENT } from './constants.ts';
import { roundRatio } from './exact.ts';

/** The share of the observed cycles in which a name appeared, 0 to 1, four decimals (methodology, Stability). */
export function stabilityOf(cycles: number, observed: number): number {
  return roundRatio(cycles, observed, 4);
}

/**
 * The placement of a name that appeared in `cycles` of the `observed` cycles (methodology, Stability). Decided on
 * counts, never on a rounded share.
 */
export function placementOf(cycles: number, observed: number): Placement {
  if (cycles === 0) return 'absent';
  if (100 * cycles >= CORE_PERCENT * observed) return 'core';
  return 100 * cycles >= EMERGING_PERCENT * observed ? 'emerging' : 'carousel';
}
