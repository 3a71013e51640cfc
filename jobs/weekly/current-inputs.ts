import { Failure } from '../../lib/failure.ts';
import { sha256 as hashOf } from '../../lib/hash.ts';
import { keysIn, objectsOf } from '../lake/ledger.ts';
import type { LakeObject, LedgerEntry } from '../lake/delivery.ts';
import { replacedObjects } from '../lake/removals.ts';

/** An input as a manifest names it, and what the lake has of it. */
export interface CurrentInput {
  path: string;
  sha256: string;
  /** Null: it had rows of removed workspaces only. */
  now: Pick<LakeObject, 'key' | 'sha256'> | null;
}

/**
 * Finds what the lake has of the inputs of a snapshot, after the removal of other workspaces.
 * @param recorded the ledger as it was recorded
 * @param ledger the same with the objects that the lake has now
 * @throws Failure if the snapshot's own workspace was removed from an input
 */
export function currentInputs(
  recorded: readonly LedgerEntry[],
  ledger: readonly LedgerEntry[],
  { workspaceId, inputs }: { workspaceId: string; inputs: readonly { path: string; sha256: string }[] },
): CurrentInput[] {
  const named = keysIn(ledger);
  const before = new Map(recorded.flatMap(objectsEver).map((object) => [object.key, object]));
  const replaced = replacedObjects(recorded);
  return inputs.map(({ path, sha256 }) => {
    const found = named.has(path) ? undefined : replaced.get(path);
    // With another hash than the ledger's it never was an input: it is reported as missing.
    if (found === undefined || before.get(path)?.sha256 !== sha256)
      return { path, sha256, now: { key: path, sha256 } };
    if (found.workspaces.includes(hashOf(workspaceId)))
      throw new Failure(
        `workspace ${workspaceId} was removed from the lake ("job remove"): ${path} has no rows of it any more`,
      );
    return { path, sha256, now: found.by };
  });
}

/** What an entry delivered, and what a removal wrote, which a later one may have replaced. */
function objectsEver(entry: LedgerEntry): Pick<LakeObject, 'key' | 'sha256'>[] {
  const rewritten = entry.removal?.replaced.flatMap(({ by }) => by ?? []) ?? [];
  return [...objectsOf(entry), ...rewritten];
}
