import type { ObjectStore } from '../../../lib/store/store.ts';
import { deleteFact, storedKeys } from './store.ts';

/**
 * The number of bases that are kept of each scope, and of facts: after a late delivery to one of the last cycles, a run starts
 * from the base before it. After one to an earlier cycle, it takes as long as a full run.
 */
export const BASES_KEPT = 4;
/** Facts of another version, scope or set of brands are kept for as long after their last cycle. */
const OTHERS_KEPT_DAYS = 35;

/**
 * Deletes what a base that was just stored replaces: older bases and facts of its scope, and the facts of every version and scope
 * that has nothing of the last five weeks. Runs that read them have copies (store.ts).
 * @param base its prefix
 */
export async function deleteOldFacts(lake: ObjectStore, base: string): Promise<void> {
  const folders = new Set((await storedKeys(lake)).map((key) => key.slice(0, key.lastIndexOf('/') + 1)));
  const stored = [...folders].flatMap((prefix) => describe(prefix) ?? []);
  const own = describe(base)!;
  const oldest = own.lastCycle - OTHERS_KEPT_DAYS * 86_400_000;
  for (const [scope, facts] of Map.groupBy(stored, (fact) => fact.scope)) {
    const isOwn = scope === own.scope;
    if (!isOwn && facts.some(({ lastCycle }) => lastCycle >= oldest)) continue;
    // In the order of their cycles, as they are listed.
    for (const [, group] of Map.groupBy(facts, ({ kind }) => kind)) {
      for (const { prefix } of isOwn ? group.slice(0, -BASES_KEPT) : group) await deleteFact(lake, prefix);
    }
  }
}

/** Reads `KIND/VERSION/SCOPE/through=DATE/HASH/`; null for other names. */
function describe(prefix: string) {
  const match = /^([a-z]+)\/(.*)(?:cycle|through)=([0-9-]+)\//.exec(prefix);
  if (match === null) return null;
  return { prefix, kind: match[1]!, scope: match[2]!, lastCycle: Date.parse(match[3]!) };
}
