/** How black-box tests verify a store, and repair it from its lake: in memory, where objects can be changed one by one. */
import { healFrom, repairLog } from '../../snapshots/recover/repair.ts';
import type { Place } from '../snapshots/log/places.ts';

export { readAll } from '../snapshots/log/intact.ts';
export { copyOf } from '../snapshots/log/places.ts';
export type { Place } from '../snapshots/log/places.ts';
export { auditedPlace, flip, kindsOf, supersededIn, verified } from '../snapshots/verify/audited.ts';
export type { Audited } from '../snapshots/verify/audited.ts';
export type { Objects } from '../support/memory-store.ts';

/** Writes again what the lake remembers, and what a copy of the store has. @returns the keys of what was not as it should be */
export async function repair(place: Place, copy: Place): Promise<string[]> {
  const { written } = await repairLog(place);
  return [...written, ...(await healFrom(place, copy.store))].map(({ key }) => key);
}
