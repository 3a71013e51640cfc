/** @module-tag black-box */
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  auditedPlace,
  copyOf,
  flip,
  kindsOf,
  readAll,
  repair,
  supersededIn,
  verified,
} from '../../adapters/verify.ts';
import type { Audited, Objects, Place } from '../../adapters/verify.ts';

const CHECKPOINT_KEY = 'log/checkpoint';

let audited: Audited;
let place: Place;
let keys: string[];
let isSuperseded: (key: string) => boolean;
/** The objects of another store, of another key, with the same workspaces. */
let foreign: Objects;
beforeAll(async () => {
  audited = await auditedPlace();
  ({ place } = audited);
  keys = [...place.objects.store.keys()];
  isSuperseded = await supersededIn(place);
  foreign = (await auditedPlace()).place.objects.store;
});

const DELETED = 'that is deleted';

/** The kind of an object, for messages and for the choice of another one of the same kind. */
const kindOf = (key: string) => key.replaceAll(/[0-9a-f-]{16,}|\d+/g, '#').replace(/#T#\.#Z/, '');

test('the untouched store is intact, and has every kind of object', async () => {
  const { problems, notes, checked } = await verified(place);
  expect(problems).toEqual([]);
  expect(kindsOf(notes)).toEqual(['mistaken', 'pruned']);
  expect(checked).toMatchObject({ workspaces: 2, snapshots: 8, documents: 7 * 17 });
  expect(new Set(keys.map((key) => key.split('/')[0]))).toEqual(
    new Set(['heads', 'inputs', 'log', 'workspaces']),
  );
});

/** Objects of every kind: all but the documents of older snapshots, which are as those of the newest ones. */
const someOfEveryKind = () => {
  const newest = [audited.ids[3]!, audited.mistakenId];
  return keys.filter((key) => !isDocument(key) || newest.some((id) => key.includes(id)));
};
const isDocument = (key: string) => /snapshots.*\/(?:brands|week|tables)\b/.test(key);

/** What happens to an object. */
const harms: [string, (objects: Objects, key: string) => unknown][] = [
  ['with a changed byte', (objects, key) => flip(objects, key, objects.get(key)!.length >> 1)],
  [
    'with the bytes of another one of its kind',
    (objects, key) => {
      const bytes = objects.get(key)!;
      const others = keys.filter((each) => kindOf(each) === kindOf(key) && !objects.get(each)!.equals(bytes));
      objects.set(key, objects.get(others.at(-1)!) ?? Buffer.from('x'));
    },
  ],
  [DELETED, (objects, key) => objects.delete(key)],
];

test.each(harms)(
  'an object %s is a problem, unless it may be gone; readers refuse it or find the same',
  async (what, harm) => {
    const { published, documents } = await readAll(place);
    const unnoticed: string[] = [];
    let refusals = 0;
    for (const key of someOfEveryKind()) {
      const copy = copyOf(place);
      harm(copy.objects.store, key);
      if ((await verified(copy)).problems.length === 0) unnoticed.push(key);
      // A reader that starts at a store without a checkpoint finds that nothing is published yet.
      if (!copy.objects.store.has(CHECKPOINT_KEY)) continue;
      const found = await readAll(copy).catch(() => null);
      if (found === null) refusals += 1;
      const read = found && [found.published, found.documents];
      expect(read ?? [published, documents]).toEqual([published, documents]);
    }
    expect(unnoticed).toEqual(what === DELETED ? keys.filter(isSuperseded) : []);
    expect(refusals).toBeGreaterThan(40);
  },
);

test.each(harms)('an object %s is written again by a repair, from the lake or a copy', async (what, harm) => {
  for (const key of new Map(keys.map((each) => [kindOf(each), each])).values()) {
    const copy = copyOf(place);
    harm(copy.objects.store, key);
    const written = await repair(copy, place);
    // What may be gone is only deleted where it is altered.
    const mayStay = what === DELETED && isSuperseded(key);
    expect(written).toEqual(mayStay ? [] : [key]);
    expect({ key, problems: (await verified(copy)).problems }).toEqual({ key, problems: [] });
  }
});

test('a repair takes nothing from a copy that does not have the published bytes', async () => {
  const [copy, ofThief] = [copyOf(place), copyOf(place)];
  copy.objects.store.clear();
  for (const key of keys) ofThief.objects.store.set(key, Buffer.from('of a thief'));
  await repair(copy, ofThief);
  expect([...copy.objects.store.keys()].filter(isDocument)).toEqual([]);
});

test('every byte of the checkpoint counts', async () => {
  const { length } = place.objects.store.get(CHECKPOINT_KEY)!;
  for (let at = 0; at < length; at++) {
    const copy = copyOf(place);
    flip(copy.objects.store, CHECKPOINT_KEY, at);
    expect((await verified(copy)).problems).not.toEqual([]);
  }
});

const changes: Record<string, (objects: Objects, key: string, other: string) => unknown> = {
  flip: (objects, key) => objects.get(key)?.length && flip(objects, key, objects.get(key)!.length >> 1),
  delete: (objects, key) => objects.delete(key),
  swap(objects, key, other) {
    const [a, b] = [objects.get(key), objects.get(other)];
    if (a !== undefined && b !== undefined) objects.set(key, b).set(other, a);
  },
  rename(objects, key) {
    const bytes = objects.get(key);
    if (bytes !== undefined) objects.set(`${key}.old`, bytes).delete(key);
  },
  'put in from another store': (objects, key) => foreign.has(key) && objects.set(key, foreign.get(key)!),
  'put in the log of another store'(objects) {
    for (const each of objects.keys()) if (each.startsWith('log/')) objects.delete(each);
    for (const [each, bytes] of foreign) if (each.startsWith('log/')) objects.set(each, bytes);
  },
};

/** True if what is there differs from what was published, apart from what need not be there. */
function isDamaged(objects: Objects): boolean {
  const isWhole = keys.every((key) => {
    const bytes = objects.get(key);
    return bytes === undefined ? isSuperseded(key) : bytes.equals(place.objects.store.get(key)!);
  });
  return !isWhole || [...objects.keys()].some((key) => key.endsWith('.old'));
}

const keyOf = (n: number) => keys[n % keys.length]!;

test(
  'of any few changes at once, all that damage is found, and nothing else',
  { tags: ['long'] },
  async () => {
    const seen = new Set<string>();
    const change = fc.record({ what: fc.constantFrom(...Object.keys(changes)), a: fc.nat(), b: fc.nat() });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (some) => {
        const copy = copyOf(place);
        const { store } = copy.objects;
        for (const { what, a, b } of some) changes[what]!(store, keyOf(a), keyOf(b));
        const { problems, checkpoint } = await verified(copy);
        expect(problems.length > 0).toBe(isDamaged(store));
        expect(checkpoint === null).toBe(problems.length > 0);
        for (const kind of kindsOf(problems)) seen.add(kind);
      }),
      { numRuns: 300 },
    );
    const kinds = 'altered, swapped, missing, extra, log_damaged, named_altered, named_missing'.split(', ');
    expect([...seen]).toEqual(expect.arrayContaining(kinds));
  },
);
