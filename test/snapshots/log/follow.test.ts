import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { CHECKPOINT_KEY, historyKey } from '../../../snapshots/layout.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import type { LogView } from '../../../snapshots/log/follow.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { workspaceOf } from './entries.ts';
import { newSigner, placeOf, publishAll, withdraw } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
beforeAll(async () => {
  signer = await newSigner();
});

const range = (count: number) => Array.from({ length: count }, (_, number) => number);
const read = async (place: Place, before: LogView | null = null) => await readLog(place.store, place, before);

/** What a view says, without the parts that may have another form. */
async function said(place: Place, view: LogView | null) {
  if (view === null) return null;
  const { checkpoint, edge, heads } = view;
  const histories = await Promise.all([...heads.keys()].map((id) => readHistory(place.store, view, id)));
  return { note: formatNote(checkpoint.note), root: rootOfEdge(edge), size: edge.size, heads, histories };
}

test('a log that is followed says the same as one that is read from scratch', async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ publish: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 250, max: 260 })) }),
      fc.record({ withdraw: fc.nat(2) }),
    ),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(steps, fc.func(fc.boolean()), async (some, isFollowed) => {
      const place = placeOf(signer);
      expect(await read(place)).toBeNull();
      let view: LogView | null = null;
      for (const [week, step] of some.entries()) {
        if ('publish' in step) await publishAll(place, week, range(step.publish));
        else await withdraw(place, step.withdraw);
        if (!isFollowed(week)) continue;
        view = await read(place, view);
        expect(await said(place, view)).toEqual(await said(place, await read(place)));
        expect(view === null).toBe(!place.objects.store.has(CHECKPOINT_KEY));
      }
    }),
    { numRuns: 5 },
  );
});

test('a log that did not change costs one read', async () => {
  const place = placeOf(signer);
  await publishAll(place, 0, [0, 1]);
  const before = (await read(place))!;
  const reads: string[] = [];
  const store = { ...place.store, get: (key: string) => (reads.push(key), place.store.get(key)) };
  await readLog(store, place, before);
  expect(reads).toEqual([CHECKPOINT_KEY]);
});

test('a history is read by the hash that the log names, and there is none of a workspace that it does not', async () => {
  const place = placeOf(signer);
  await publishAll(place, 0, [0, 1]);
  const view = (await read(place))!;
  const [own, other] = [workspaceOf(0), workspaceOf(1)].map((id) => historyKey(id, view.heads.get(id)!));
  place.objects.store.set(own!, place.objects.store.get(other!)!);
  await expect(readHistory(place.store, view, workspaceOf(0))).rejects.toThrow(
    /does not have the bytes that the log names/,
  );
  expect(await readHistory(place.store, view, workspaceOf(9))).toBeNull();
});
