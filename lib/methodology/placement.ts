import type { Placement } from '../documents/stability.ts';

/**
 * Where a name with this number of the observed cycles stands (spec 3). Decided on counts, never on a rounded share: 70 % and
 * 40 % are exact.
 */
export function placementOf(cycles: number, observed: number): Placement {
  if (cycles === 0) return 'absent';
  if (10 * cycles >= 7 * observed) return 'core';
  return 10 * cycles >= 4 * observed ? 'emerging' : 'carousel';
}
