import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { CHECKPOINT_KEY, headsKey, historyKey } from '../../../snapshots/layout.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import type { LogView } from '../../../snapshots/log/follow.ts';
import { signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { readEntries } from '../../../snapshots/log/read.ts';
import { rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import { emptyLogEdge, growLog } from '../../../snapshots/log/write/grow.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { encodedEntries, workspaceOf } from './entries.ts';
import { copyOf, newSigner, placeOf, publishAll, withdraw } from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let thief: Signer;
beforeAll(async () => {
  [signer, thief] = [await newSigner(), await newSigner()];
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

test('a log that did not change costs one read, and the edge stays the same object', async () => {
  const place = placeOf(signer);
  await publishAll(place, 0, [0, 1]);
  const before = (await read(place))!;
  const reads: string[] = [];
  const store = { ...place.store, get: (key: string) => (reads.push(key), place.store.get(key)) };
  expect((await readLog(store, place, before))!.edge).toBe(before.edge);
  expect(reads).toEqual([CHECKPOINT_KEY]);
});

/** Replaces the objects of a store by those of another one. */
function putBack({ objects }: Place, other: Place): void {
  objects.store.clear();
  for (const [key, bytes] of other.objects.store) objects.store.set(key, bytes);
}

/** Writes a log of these entries, signed, over the one that is there. */
function forge({ objects, origin }: Place, entries: readonly Buffer[], by: Signer): void {
  const { edge, objects: tiles } = growLog(emptyLogEdge, entries);
  for (const { key, bytes } of tiles) objects.store.set(key, Buffer.from(bytes));
  const { note } = signedHead({ origin, size: edge.size, root: rootOfEdge(edge) }, [by]);
  objects.store.set(CHECKPOINT_KEY, Buffer.from(formatNote(note)));
}

async function entriesIn({ store }: Place, size: number): Promise<Buffer[]> {
  return (await Array.fromAsync(readEntries(store, size))).map(({ bytes }) => bytes);
}

type HeadsEntry = LogEntry & { kind: 'heads' };

interface Seen {
  place: Place;
  /** Before the last commit. */
  older: Place;
  view: LogView;
}

async function seenLog(): Promise<Seen> {
  const place = placeOf(signer);
  await publishAll(place, 0, range(3));
  const older = copyOf(place);
  await publishAll(place, 1, range(2));
  return { place, older, view: (await read(place))! };
}

/** By name: what an attacker does, whether a reader that starts is deceived, and what one that knows the log says. */
const attacks: [string, (seen: Seen) => Promise<void> | void, RegExp | null, RegExp | null][] = [
  [
    'no signature of the log',
    ({ place: { objects } }) => {
      const text = objects.store.get(CHECKPOINT_KEY)!.toString().replace('— sightline', '— xsightline');
      objects.store.set(CHECKPOINT_KEY, Buffer.from(text));
    },
    /not signed with a trusted key/,
    /not signed with a trusted key/,
  ],
  [
    'another key',
    async ({ place }) => {
      await publishAll(place, 2, [0]);
      forge(place, await entriesIn(place, 9), thief);
    },
    /not signed with a trusted key/,
    /not signed with a trusted key/,
  ],
  [
    'another name',
    async ({ place }) => {
      const other = { ...placeOf(signer), origin: 'other.example/log' };
      await publishAll(other, 0, [0]);
      putBack(place, other);
    },
    /is of the log other\.example\/log, and LOG_ORIGIN is/,
    /is of the log other\.example\/log/,
  ],
  [
    'an older state',
    ({ place, older }) => putBack(place, older),
    null,
    /4 entries, and had 7 before: an older/,
  ],
  [
    'no checkpoint',
    ({ place }) => void place.objects.store.delete(CHECKPOINT_KEY),
    null,
    /checkpoint is missing/,
  ],
  [
    'other entries, signed with the stolen key,',
    async ({ place, older }) => {
      await publishAll(older, 5, range(2));
      putBack(place, older);
    },
    null,
    /has other entries than before: the log was rewritten/,
  ],
  [
    'other entries and more, signed with the stolen key,',
    async ({ place, older }) => {
      await publishAll(older, 5, range(2));
      await publishAll(older, 6, range(2));
      putBack(place, older);
    },
    null,
    /do not lead to log\/checkpoint: the log was altered/,
  ],
  [
    'a last entry that is not heads, signed with the stolen key,',
    async ({ place }) => {
      const more = encodedEntries([{ workspace: 8, publish: 1 }]);
      forge(place, [...(await entriesIn(place, 7)), ...more], signer);
    },
    /does not end with heads/,
    null,
  ],
  [
    'a checkpoint that is none',
    ({ place }) => void place.objects.store.set(CHECKPOINT_KEY, Buffer.from('x')),
    /is not a signed note/,
    /is not a signed note/,
  ],
];

describe('a store with', () => {
  test.each(attacks)('%s is judged by what a reader knows', async (_name, attack, fresh, following) => {
    const seen = await seenLog();
    await attack(seen);
    for (const [before, message] of [[null, fresh] as const, [seen.view, following] as const]) {
      const complaint = await read(seen.place, before).then(() => '', String);
      expect(complaint).toMatch(message ?? /^$/);
    }
  });
});

test('histories and heads are read by the hash that the log names', async () => {
  const { place, view } = await seenLog();
  const id = workspaceOf(0);
  const [one, other] = [view.heads.get(id)!, view.heads.get(workspaceOf(1))!];
  place.objects.store.set(historyKey(id, one), place.objects.store.get(historyKey(workspaceOf(1), other))!);
  await expect(readHistory(place.store, view, id)).rejects.toThrow(
    /does not have the bytes that the log names/,
  );
  expect(await readHistory(place.store, view, workspaceOf(9))).toBeNull();
  const heads = [...place.objects.store.keys()].filter((key) => key.startsWith('heads/'));
  const [last] = await Array.fromAsync(readEntries(place.store, 7, 6));
  const named = last!.entry as HeadsEntry;
  expect(heads).toContain(headsKey(named.heads));
});
