import type { ObjectStore } from '../../lib/store/store.ts';
import { OBJECTS } from '../lake/layout.ts';
import { keysIn, readRecorded } from '../lake/ledger.ts';
import { exchangeReplaced } from '../lake/removals.ts';
import { deleteBases } from '../weekly/history/store.ts';

/** An ingest that was killed left what is older: no ingest takes as long. */
const DAY_MS = 86_400_000;

/**
 * The keys of objects that no reader needs any more: a removal replaced them, this one wrote them in vain, or a killed ingest
 * left them. Any of them may have rows of the workspace.
 * @param now in milliseconds
 */
export async function findLeftovers(
  lake: ObjectStore,
  written: ReadonlySet<string>,
  now: number,
): Promise<string[]> {
  const recorded = await readRecorded(lake);
  const named = keysIn(exchangeReplaced(recorded));
  const replaced = new Set(recorded.flatMap(({ removal }) => removal?.replaced ?? []).map(({ key }) => key));
  const found: string[] = [];
  for (const prefix of OBJECTS) {
    for await (const { key, modifiedAt } of lake.list(prefix)) {
      const isLeft = replaced.has(key) || written.has(key) || modifiedAt < now - DAY_MS;
      if (isLeft && !named.has(key)) found.push(key);
    }
  }
  return found;
}

/** Deletes them, and before that all bases: if this is killed, leftovers show the next run that it has to go on. */
export async function deleteLeftovers(lake: ObjectStore, leftovers: readonly string[]): Promise<void> {
  if (leftovers.length === 0) return;
  await deleteBases(lake);
  for (const key of leftovers) await lake.delete(key);
}
