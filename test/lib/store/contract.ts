import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Entry, ObjectStore } from '../../../lib/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';

export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  return await Array.fromAsync(store.list(prefix), ({ key }) => key);
}

/** Unusual but valid keys. */
const weirdKeys = [
  'with space/and  two',
  'per%20cent/%2F/100%',
  'plus+and&and=and?and#and;',
  'ünï/cødé/日本/🚀',
  'e\u0301 decomposed/\u00e9 composed',
  'quote\'s/"double"/back\\slash',
  'a.b.c/not..up/c.',
  'CASE/case/Case',
  '-dash/~tilde/*star',
  `long/${'x'.repeat(180)}`,
];

/**
 * The contract of every store (lib/store/store.ts). `open` prepares a new, empty location; each call of the function
 * that it returns opens that location again, as another process would.
 */
export function describeStore(openPlace: () => Promise<() => ObjectStore>): void {
  const openStore = async () => (await openPlace())();

  test('create writes any bytes, and of many concurrent calls one succeeds, whose bytes stay', async () => {
    const again = await openPlace();
    const all = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    expect(await again().create('a/b/c', all)).toBe(true);
    expect((await again().get('a/b/c'))!.bytes).toEqual(all);
    const stores = Array.from({ length: 12 }, again);
    const won = await Promise.all(stores.map((store, index) => store.create('race', bytes(String(index)))));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect((await again().get('race'))!.bytes).toEqual(bytes(String(won.indexOf(true))));
  });

  test('createFromFile writes the bytes of the file, once, and leaves the file', async () => {
    const store = await openStore();
    const file = join(await temporaryFolder(), 'source');
    await writeFile(file, 'of the file');
    expect(await store.createFromFile('x/copy', file)).toBe(true);
    expect(await store.createFromFile('x/copy', file)).toBe(false);
    expect((await store.get('x/copy'))!.bytes).toEqual(bytes('of the file'));
    expect(await readFile(file, 'utf8')).toBe('of the file');
  });

  test('createMany creates missing objects, returns which, and does not change the others', async () => {
    const store = await openStore();
    await store.create('many/3/3', bytes('mine'));
    const created = await store.createMany(entriesOf(80));
    expect(created).toEqual(Array.from({ length: 80 }, (_, index) => index !== 3));
    expect((await store.get('many/3/3'))!.bytes).toEqual(bytes('mine'));
    expect((await store.get('many/2/79'))!.bytes).toEqual(bytes('79'));
    expect(await keysOf(store, '')).toHaveLength(80);
    const broken = (async function* () {
      yield* entriesOf(2);
      throw new Error('no more entries');
    })();
    await expect(store.createMany(broken)).rejects.toThrow('no more entries');
  });

  test('swap replaces the given version, or nothing, and does not change another version', async () => {
    const store = await openStore();
    expect(await store.swap('pointer', bytes('1'), null)).toBe(true);
    expect(await store.swap('pointer', bytes('2'), null)).toBe(false);
    const first = (await store.get('pointer'))!.version;
    expect(await store.swap('pointer', bytes('2'), first)).toBe(true);
    expect(await store.swap('pointer', bytes('3'), first)).toBe(false);
    expect((await store.get('pointer'))!.bytes).toEqual(bytes('2'));
  });

  test('concurrent swaps count every increment once', async () => {
    const again = await openPlace();
    await Promise.all(Array.from({ length: 5 }, () => increment(again(), 3)));
    expect((await again().get('counter'))!.bytes).toEqual(bytes('15'));
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

  test('a missing object is null, and no error for delete, list and folders', async () => {
    const store = await openStore();
    expect(await keysOf(store, 'no/such/')).toEqual([]);
    expect(await store.folders('no/such/')).toEqual([]);
    await store.create('folder/object', bytes(''));
    for (const key of ['nothing', 'folder', 'folder/nothing', 'folder/object/below']) {
      expect(await store.get(key)).toBeNull();
      expect(await store.localFile(key, await temporaryFolder())).toBeNull();
    }
    for (const key of ['nothing', 'folder', 'folder/nothing']) await store.delete(key);
    expect(await keysOf(store, '')).toEqual(['folder/object']);
    await store.delete('folder/object');
    expect(await store.get('folder/object')).toBeNull();
  });

  test('list gives every key below a prefix with its size, in the order of code points', async () => {
    const store = await openStore();
    // '-' and '.' sort before '/', '0' after it; the rocket is beyond U+FFFF and sorts after the ligature.
    const keys = ['a-b/x', 'a.b', 'a/b/c', 'a/b0', 'a0', 'b/ﬁ', 'b/🚀', 'Z'];
    for (const key of keys.toReversed()) await store.create(key, bytes(key));
    const expected = keys.toSorted((a, b) => Buffer.compare(bytes(a), bytes(b)));
    const modifiedAt = expect.any(Number) as number;
    expect(await Array.fromAsync(store.list(''))).toEqual(
      expected.map((key) => ({ key, bytes: bytes(key).length, modifiedAt })),
    );
    expect(await keysOf(store, 'a/')).toEqual(['a/b/c', 'a/b0']);
  });

  test('folders are those directly below the prefix, in order, without objects next to them', async () => {
    const store = await openStore();
    for (const key of ['x/b/1', 'x/a/deep/2', 'x/a/3', 'x/file', 'y/c/4']) await store.create(key, bytes(''));
    expect(await store.folders('')).toEqual(['x', 'y']);
    expect(await store.folders('x/')).toEqual(['a', 'b']);
    expect(await store.folders('x/a/')).toEqual(['deep']);
  });

  test.each([0, 70_000])('get with a limit returns %d bytes or fewer, and refuses more', async (most) => {
    const store = await openStore();
    await store.create('within', Buffer.alloc(most));
    await store.create('beyond', Buffer.alloc(most + 1));
    expect((await store.get('within', most))!.bytes).toHaveLength(most);
    await expect(store.get('beyond', most)).rejects.toThrow(
      `beyond has more than ${most} bytes: it was altered`,
    );
    expect((await store.get('beyond'))!.bytes).toHaveLength(most + 1);
    expect(await store.get('nothing', most)).toBeNull();
  });

  test('every operation takes unusual keys literally', async () => {
    const store = await openStore();
    for (const key of weirdKeys) {
      expect(await store.create(key, bytes(key))).toBe(true);
      expect(await store.create(key, bytes('another'))).toBe(false);
      expect((await store.get(key))!.bytes).toEqual(bytes(key));
      expect(await store.swap(key, bytes('new'), (await store.get(key))!.version)).toBe(true);
      expect(await readFile((await store.localFile(key, await temporaryFolder()))!, 'utf8')).toBe('new');
    }
    expect((await keysOf(store, '')).toSorted()).toEqual(weirdKeys.toSorted());
    for (const key of weirdKeys) await store.delete(key);
    expect(await keysOf(store, '')).toEqual([]);
  });
}

async function increment(store: ObjectStore, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const current = await store.get('counter');
    const next = bytes(String(Number(current?.bytes ?? 0) + 1));
    if (await store.swap('counter', next, current?.version ?? null)) done += 1;
  }
}

function entriesOf(count: number): Entry[] {
  return Array.from({ length: count }, (_, i) => ({
    key: `many/${i % 7}/${i}`,
    bytes: bytes(`${i}`),
  }));
}

function page(digit: number): Buffer {
  return Buffer.alloc(200_000, String(digit));
}
