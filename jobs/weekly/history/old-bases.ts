import type { ObjectStore } from '../../../lib/store/store.ts';
import { basesIn, deleteBase, storedKeys } from './store.ts';

/**
 * The number of bases that are kept of each scope: after a late delivery to one of the last cycles, a run starts from the
 * base before it. After one to an earlier cycle, it takes as long as a full run.
 */
const BASES_KEPT = 4;
/** Bases of another version, scope or set of brands are kept for as long after their last cycle. */
const OTHERS_KEPT_DAYS = 35;

/**
 * Deletes what a base that was just stored replaces: older bases of its scope, and those of every version and scope that
 * has nothing of the last five weeks. Runs that read them have copies (store.ts).
 * @param base its prefix
 */
export async function deleteOldBases(lake: ObjectStore, base: string): Promise<void> {
  const stored = [...basesIn(await storedKeys(lake))].flatMap((prefix) => describe(prefix) ?? []);
  const own = describe(base)!;
  const oldest = own.lastCycle - OTHERS_KEPT_DAYS * 86_400_000;
  for (const [scope, bases] of Map.groupBy(stored, (each) => each.scope)) {
    const isOwn = scope === own.scope;
    if (!isOwn && bases.some(({ lastCycle }) => lastCycle >= oldest)) continue;
    // In the order of their cycles, as they are listed.
    for (const { prefix } of isOwn ? bases.slice(0, -BASES_KEPT) : bases) await deleteBase(lake, prefix);
  }
}

/** Reads `bases/VERSION/SCOPE/through=DATE/HASH/`; null for other names. */
function describe(prefix: string) {
  const match = /^bases\/(.*)through=([0-9-]+)\//.exec(prefix);
  if (match === null) return null;
  return { prefix, scope: match[1]!, lastCycle: Date.parse(match[2]!) };
}
