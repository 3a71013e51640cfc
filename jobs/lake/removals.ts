import type { Delivery, LakeObject, LedgerEntry, Replacement } from './delivery.ts';

/** What removals left of an object. */
export interface Replaced {
  /** Null: nothing. */
  by: Replacement | null;
  /** The SHA-256 of the ids of the workspaces whose rows are gone. */
  workspaces: string[];
}

/** Exchanges in each delivery the objects that a later removal replaced. */
export function exchangeReplaced(recorded: readonly LedgerEntry[]): LedgerEntry[] {
  const replaced = new Map<string, Replaced>();
  const exchanged: LedgerEntry[] = [];
  for (const entry of recorded.toReversed()) {
    exchanged.push({ ...entry, ...exchange(entry, replaced) });
    addReplaced(replaced, entry);
  }
  return exchanged.toReversed();
}

/** What is left of each object that was ever replaced, by its key. */
export function replacedObjects(recorded: readonly LedgerEntry[]): Map<string, Replaced> {
  const replaced = new Map<string, Replaced>();
  for (const entry of recorded.toReversed()) addReplaced(replaced, entry);
  return replaced;
}

/** @param replaced by later entries: a replacement may have been replaced again */
function addReplaced(replaced: Map<string, Replaced>, { removal }: Delivery): void {
  for (const { key, by } of removal?.replaced ?? []) {
    const later = by === null ? undefined : replaced.get(by.key);
    const workspaces = [removal!.workspaceSha256, ...(later?.workspaces ?? [])];
    replaced.set(key, { by: later === undefined ? by : later.by, workspaces });
  }
}

function exchange({ tracking, runs, runBrands, rejects }: Delivery, replaced: ReadonlyMap<string, Replaced>) {
  const now = <T extends LakeObject>(object: T): T | null => {
    const found = replaced.get(object.key);
    if (found === undefined) return object;
    return found.by === null ? null : { ...object, ...found.by };
  };
  const left = <T extends LakeObject>(objects: readonly T[]) =>
    objects.flatMap((object) => now(object) ?? []);
  return {
    tracking: left(tracking),
    runs: left(runs),
    runBrands: runBrands === null ? null : now(runBrands),
    rejects: rejects === null ? null : now(rejects),
  };
}
