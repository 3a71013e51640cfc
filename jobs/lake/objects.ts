import type { ObjectStore } from '../../lib/store/store.ts';
import { OBJECTS } from './layout.ts';
import { keysIn, readRecorded } from './ledger.ts';
import { exchangeReplaced, replacedObjects } from './removals.ts';

/** The bytes of each object that was delivered and is there, by its key. */
export async function storedObjects(lake: ObjectStore): Promise<Map<string, number>> {
  const stored = new Map<string, number>();
  for (const prefix of OBJECTS) for await (const { key, bytes } of lake.list(prefix)) stored.set(key, bytes);
  return stored;
}

/**
 * The keys of the objects from which weeks can be computed again: those that the ledger names and that are there, and those
 * that removals replaced, if what replaced them is there.
 * @throws Failure if the ledger is damaged
 */
export async function usableObjects(lake: ObjectStore): Promise<string[]> {
  const recorded = await readRecorded(lake);
  const stored = await storedObjects(lake);
  const named = [...keysIn(exchangeReplaced(recorded))].filter((key) => stored.has(key));
  const replaced = [...replacedObjects(recorded)].filter(([, { by }]) => by === null || stored.has(by.key));
  return [...named, ...replaced.map(([key]) => key)];
}
