import type { ObjectStore } from '../../../lib/store/store.ts';
import { BASES, FACTS } from './layout.ts';
import { deleteFact, storedKeys } from './store.ts';

/**
 * Bases that are kept of each scope, and facts of as many cycles: a late delivery to one of the last cycles starts from the base
 * before it. One to an earlier cycle takes as long as a full run.
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
  const groups = Map.groupBy(folders, groupOf);
  for (const group of [groupOf(base), groupOf(base).replace(BASES, FACTS)]) {
    const own = groups.get(group) ?? [];
    for (const prefix of own.toSorted().slice(0, -BASES_KEPT)) await deleteFact(lake, prefix);
  }
  const oldest = Date.parse(dateOf(base)!) - OTHERS_KEPT_DAYS * 86_400_000;
  // Groups as `VERSION/SCOPE/` have facts, bases or both.
  const byName = Map.groupBy(groups, ([group]) => group.slice(group.indexOf('/') + 1));
  for (const [name, members] of byName) {
    const prefixes = members.flatMap(([, folder]) => folder);
    const newest = Math.max(...prefixes.map((prefix) => Date.parse(dateOf(prefix) ?? '')));
    if (`${BASES}${name}` === groupOf(base) || !(newest < oldest)) continue;
    for (const prefix of prefixes) await deleteFact(lake, prefix);
  }
}

/** `bases/VERSION/SCOPE/` of `bases/VERSION/SCOPE/through=DATE/HASH/`. */
function groupOf(prefix: string): string {
  return prefix.slice(0, prefix.search(/(?:cycle|through)=/));
}

/** The last cycle of a fact or base. */
function dateOf(prefix: string): string | null {
  return /(?:cycle|through)=([0-9-]+)\//.exec(prefix)?.[1] ?? null;
}
