/** @module-tag black-box */
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { auditedPlace, copyOf, flip, kindsOf, supersededIn, verified } from '../../adapters/verify.ts';
import type { Objects, Place } from '../../adapters/verify.ts';

let place: Place;
let keys: string[];
let isSuperseded: (key: string) => boolean;
/** The objects of another store, of another key, with the same workspaces. */
let foreign: Objects;

beforeAll(async () => {
  ({ place } = await auditedPlace());
  keys = [...place.objects.store.keys()];
  isSuperseded = await supersededIn(place);
  foreign = (await auditedPlace()).place.objects.store;
});

const changes: Record<string, (objects: Objects, key: string, other: string) => unknown> = {
  flip: (objects, key) => objects.get(key)?.length && flip(objects, key, objects.get(key)!.length >> 1),
  delete: (objects, key) => objects.delete(key),
  empty: (objects, key) => objects.set(key, Buffer.alloc(0)),
  cut: (objects, key) => objects.set(key, (objects.get(key) ?? Buffer.alloc(0)).subarray(1)),
  copy: (objects, key, other) => objects.set(key, objects.get(other) ?? Buffer.alloc(0)),
  swap(objects, key, other) {
    const [a, b] = [objects.get(key), objects.get(other)];
    if (a !== undefined && b !== undefined) objects.set(key, b).set(other, a);
  },
  rename(objects, key) {
    const bytes = objects.get(key);
    if (bytes !== undefined) objects.set(`${key}.old`, bytes).delete(key);
  },
  restore: (objects, key) => objects.set(key, place.objects.store.get(key)!),
  'put in from another store': (objects, key) => foreign.has(key) && objects.set(key, foreign.get(key)!),
  'put in the log of another store'(objects) {
    for (const each of objects.keys()) if (each.startsWith('log/')) objects.delete(each);
    for (const [each, bytes] of foreign) if (each.startsWith('log/')) objects.set(each, bytes);
  },
};

const tampering = fc.record({
  what: fc.constantFrom(...Object.keys(changes)),
  a: fc.nat(),
  b: fc.nat(),
});

const keyOf = (n: number) => keys[n % keys.length]!;

/** True if what is there differs from what was published, apart from what need not be there. */
function isDamaged(objects: Objects): boolean {
  const original = place.objects.store;
  const isWhole = keys.every((key) => {
    const bytes = objects.get(key);
    return bytes === undefined ? isSuperseded(key) : bytes.equals(original.get(key)!);
  });
  return !isWhole || [...objects.keys()].some((key) => key.endsWith('.old'));
}

test('of any few changes at once, all that damage is found, and nothing else', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(tampering, { minLength: 1, maxLength: 3 }), async (tamperings) => {
      const copy = copyOf(place);
      const { store } = copy.objects;
      for (const { what, a, b } of tamperings) changes[what]!(store, keyOf(a), keyOf(b));
      const { problems, checkpoint } = await verified(copy);
      expect(problems.length > 0).toBe(isDamaged(store));
      expect(checkpoint === null).toBe(problems.length > 0);
      for (const kind of kindsOf(problems)) seen.add(kind);
    }),
    { numRuns: 300 },
  );
  expect([...seen]).toEqual(
    expect.arrayContaining(['altered', 'extra', 'log_damaged', 'missing', 'named_altered', 'named_missing']),
  );
});

test('without the checkpoint nothing else hides that it is gone', async () => {
  const copy = copyOf(place);
  for (const key of keys.filter((each) => each.startsWith('log/'))) copy.objects.store.delete(key);
  expect(copy.objects.store.has('log/checkpoint')).toBe(false);
  expect(kindsOf((await verified(copy)).problems)).toEqual(['log_missing']);
});
