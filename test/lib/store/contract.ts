import * as fc from 'fast-check';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Entry, ObjectStore } from '../../../lib/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { bytes, keysOf, describeReads } from './contract-reads.ts';

/**
 * The contract of every store (lib/store/store.ts). `open` prepares a new, empty location; each call of the function
 * that it returns opens that location again, as another process would.
 */
export function describeStore(openPlace: () => Promise<() => ObjectStore>): void {
  const openStore = async () => (await openPlace())();

  describe('create', () => {
    test('writes the bytes that get then returns', async () => {
      const store = await openStore();
      const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
      expect(await store.create('a/b/c', all)).toBe(true);
      expect((await store.get('a/b/c'))!.bytes).toEqual(all);
    });

    test('of many concurrent calls one succeeds, and its bytes stay', async () => {
      const again = await openPlace();
      const stores = Array.from({ length: 12 }, again);
      const won = await Promise.all(stores.map((store, index) => store.create('race', bytes(String(index)))));
      expect(won.filter(Boolean)).toHaveLength(1);
      expect((await stores[0]!.get('race'))!.bytes).toEqual(bytes(String(won.indexOf(true))));
    });

    test('from a file writes the bytes of the file, once, and leaves the file', async () => {
      const store = await openStore();
      const file = join(await temporaryFolder(), 'source');
      await writeFile(file, 'of the file');
      expect(await store.createFromFile('x/copy', file)).toBe(true);
      expect(await store.createFromFile('x/copy', file)).toBe(false);
      expect((await store.get('x/copy'))!.bytes).toEqual(bytes('of the file'));
      expect(await readFile(file, 'utf8')).toBe('of the file');
    });
  });

  describe('createMany', () => {
    test('creates missing objects, returns which, and does not change the others', async () => {
      const store = await openStore();
      await store.create('many/3/3', bytes('mine'));
      const created = await store.createMany(entriesOf(80));
      expect(created).toEqual(Array.from({ length: 80 }, (_, index) => index !== 3));
      expect((await store.get('many/3/3'))!.bytes).toEqual(bytes('mine'));
      expect((await store.get('many/2/79'))!.bytes).toEqual(bytes('79'));
      expect((await keysOf(store, '')).length).toBe(80);
    });

    test('of many concurrent calls, each key is created by one', async () => {
      const again = await openPlace();
      const results = await Promise.all(
        ['a', 'b', 'c'].map(async (text) => await again().createMany(entriesOf(60, text))),
      );
      for (let index = 0; index < 60; index++) {
        const winner = results.map((created) => created[index]).indexOf(true);
        expect(results.filter((created) => created[index])).toHaveLength(1);
        const { bytes: found } = (await again().get(`many/${index % 7}/${index}`))!;
        expect(found).toEqual(bytes(`${'abc'[winner]!}${index}`));
      }
    });

    test('a source that fails leaves complete objects only', async () => {
      const store = await openStore();
      await expect(store.createMany(outOfLuckAfter(entriesOf(50)))).rejects.toThrow('out of luck');
      for (const key of await keysOf(store, '')) {
        expect((await store.get(key))!.bytes).toEqual(bytes(key.split('/')[2]!));
      }
    });
  });

  describe('swap', () => {
    test('from nothing creates, and only from nothing', async () => {
      const store = await openStore();
      expect(await store.swap('pointer', bytes('1'), null)).toBe(true);
      expect(await store.swap('pointer', bytes('2'), null)).toBe(false);
      expect((await store.get('pointer'))!.bytes).toEqual(bytes('1'));
    });

    test('from the current version replaces, from another it does not', async () => {
      const store = await openStore();
      await store.create('pointer', bytes('1'));
      const first = (await store.get('pointer'))!.version;
      expect(await store.swap('pointer', bytes('2'), first)).toBe(true);
      expect(await store.swap('pointer', bytes('3'), first)).toBe(false);
      expect((await store.get('pointer'))!.bytes).toEqual(bytes('2'));
    });

    test('counts every increment once, with concurrent swaps', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 6 }),
          fc.integer({ min: 1, max: 5 }),
          async (swappers, each) => {
            const again = await openPlace();
            await Promise.all(Array.from({ length: swappers }, () => increment(again(), each)));
            expect((await again().get('counter'))!.bytes).toEqual(bytes(String(swappers * each)));
          },
        ),
        { numRuns: 8 },
      );
    });
  });

  test('a reader sees the complete old or new bytes while they are replaced', async () => {
    const again = await openPlace();
    const writer = again();
    await writer.create('page', page(0));
    const progress = { isDone: false };
    const write = async () => {
      for (let digit = 1; digit < 10; digit++) {
        await writer.swap('page', page(digit), (await writer.get('page'))!.version);
      }
      progress.isDone = true;
    };
    const read = async () => {
      const store = again();
      for (let latest = 0; !progress.isDone;) {
        const { bytes: found } = (await store.get('page'))!;
        const digit = Number(String.fromCodePoint(found[0]!));
        expect(found.equals(page(digit))).toBe(true);
        expect(digit).toBeGreaterThanOrEqual(latest);
        latest = digit;
      }
    };
    await Promise.all([write(), read(), read()]);
  });

  describeReads(openStore);
}

async function increment(store: ObjectStore, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const current = await store.get('counter');
    const next = bytes(String(Number(current?.bytes ?? 0) + 1));
    if (await store.swap('counter', next, current?.version ?? null)) done += 1;
  }
}

function entriesOf(count: number, text = ''): Entry[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `many/${i % 7}/${i}`,
    bytes: bytes(`${text}${i}`),
  }));
}

async function* outOfLuckAfter(entries: Entry[]): AsyncGenerator<Entry> {
  yield* entries;
  throw new Error('out of luck');
}

function page(digit: number): Buffer {
  return Buffer.alloc(200_000, String(digit));
}
