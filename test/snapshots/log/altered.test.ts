/** @module-tag slow */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { parseCheckpoint, signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { EMPTY_ROOT } from '../../../snapshots/log/tree/merkle.ts';
import { HASH_BYTES } from '../../../snapshots/log/tree/tiles.ts';
import { emptyLogEdge } from '../../../snapshots/log/write/grow.ts';
import { copyOf, newSigner, placeOf, publishAll } from './places.ts';
import type { Place } from './places.ts';

/** Reads every entry, the heads for readers that start, and the history of every workspace. */
async function readAll(place: Place): Promise<unknown[]> {
  const { note } = signedHead({ origin: place.origin, size: 0, root: EMPTY_ROOT }, [place.signer]);
  const nothing = {
    checkpoint: parseCheckpoint(Buffer.from(formatNote(note)), 'nothing'),
    edge: emptyLogEdge,
  };
  const found: unknown[] = [];
  for (const view of [
    await readLog(place.store, place),
    await readLog(place.store, place, { ...nothing, heads: new Map() }),
  ]) {
    found.push(view!.checkpoint.note, view!.edge, view!.heads);
    for (const workspaceId of view!.heads.keys())
      found.push(await readHistory(place.store, view!, workspaceId));
  }
  return found;
}

/** The keys that {@link readAll} reads. */
async function keysRead(place: Place): Promise<string[]> {
  const keys = new Set<string>();
  const store = { ...place.store, get: (key: string) => (keys.add(key), place.store.get(key)) };
  await readAll({ ...place, store });
  return [...keys].filter((key) => place.objects.store.has(key));
}

test('any byte that a reader uses is refused when it was altered, and any object when it is gone', async () => {
  const place = placeOf(await newSigner());
  await publishAll(
    place,
    0,
    Array.from({ length: 300 }, (_, number) => number),
  );
  await publishAll(place, 1, [0, 1, 2]);
  const keys = await keysRead(place);
  const kinds = new Set(keys.map((key) => key.replaceAll(/[0-9a-f-]{32,}|\d+/g, '#')));
  expect([...kinds].toSorted()).toEqual([
    'heads/#.json',
    'log/checkpoint',
    'log/tile/#/#.p/#',
    'log/tile/entries/#',
    'log/tile/entries/#.p/#',
    'workspaces/#/histories/#.json',
  ]);
  const intact = await readAll(place);
  const few = keys
    .filter((key) => !key.includes('/histories/'))
    .concat(keys.filter((key) => key.includes('/histories/')).slice(0, 2));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...few),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      async (key, at, change) => {
        const bytes = place.objects.store.get(key)!;
        const altered = Buffer.from(bytes);
        altered[at % bytes.length]! ^= change;
        const altering = copyOf(place);
        altering.objects.store.set(key, altered);
        const found = await readAll(altering).catch(() => 'refused');
        // A reader that starts computes the hash of the last entry, and does not use the one in the tile.
        const isUsed = !key.includes('/tile/0/') || at % bytes.length < bytes.length - HASH_BYTES;
        expect(found).toEqual(isUsed ? 'refused' : intact);
      },
    ),
    { numRuns: 300 },
  );
  for (const key of few) {
    const deleting = copyOf(place);
    deleting.objects.store.delete(key);
    await expect(readAll(deleting)).rejects.toThrow(/missing/);
  }
});
