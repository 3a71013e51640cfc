import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { temporaryFolder } from '../../support/folder.ts';

export function bytes(text: string): Buffer {
  return Buffer.from(text);
}

export async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
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
  'file.lock',
  'CASE/case/Case',
  '-dash/~tilde/*star',
  `long/${'x'.repeat(180)}`,
];

/** The part of the contract about reading and listing; see contract.ts. */
export function describeReads(openStore: () => Promise<ObjectStore>): void {
  describe('a missing object', () => {
    test('is null to get and localFile', async () => {
      const store = await openStore();
      await store.create('folder/object', bytes(''));
      for (const key of ['nothing', 'folder', 'folder/nothing', 'folder/object/below']) {
        expect(await store.get(key)).toBeNull();
        expect(await store.localFile(key, await temporaryFolder())).toBeNull();
      }
    });

    test('is not an error for delete', async () => {
      const store = await openStore();
      await store.create('folder/object', bytes(''));
      for (const key of ['nothing', 'folder', 'folder/nothing']) await store.delete(key);
      expect(await keysOf(store, '')).toEqual(['folder/object']);
      await store.delete('folder/object');
      expect(await store.get('folder/object')).toBeNull();
    });

    test('is not an error for list and folders', async () => {
      const store = await openStore();
      expect(await keysOf(store, '')).toEqual([]);
      expect(await keysOf(store, 'no/such/')).toEqual([]);
      expect(await store.folders('no/such/')).toEqual([]);
    });
  });

  describe('list', () => {
    test('gives every key below a prefix with its size, in the order of code points', async () => {
      const store = await openStore();
      // '-' and '.' sort before '/', '0' after it; the rocket is beyond U+FFFF and sorts after the ligature.
      const keys = ['a-b/x', 'a.b', 'a/b/c', 'a/b0', 'a0', 'b/ﬁ', 'b/🚀', 'Z'];
      for (const key of keys.toReversed()) await store.create(key, bytes(key));
      const listed = [];
      for await (const info of store.list('')) listed.push(info);
      const expected = keys.toSorted((a, b) => Buffer.compare(bytes(a), bytes(b)));
      const modifiedAt = expect.any(Number) as number;
      expect(listed).toEqual(expected.map((key) => ({ key, bytes: bytes(key).length, modifiedAt })));
      expect(await keysOf(store, 'a/')).toEqual(['a/b/c', 'a/b0']);
    });
  });

  describe('folders', () => {
    test('are those directly below the prefix, in order, without objects next to them', async () => {
      const store = await openStore();
      for (const key of ['x/b/1', 'x/a/deep/2', 'x/a/3', 'x/file', 'y/c/4'])
        await store.create(key, bytes(''));
      expect(await store.folders('')).toEqual(['x', 'y']);
      expect(await store.folders('x/')).toEqual(['a', 'b']);
      expect(await store.folders('x/a/')).toEqual(['deep']);
    });
  });

  test.each([0, 1, 70_000])('get with a limit returns %d bytes or fewer, and refuses more', async (most) => {
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

  test.each(weirdKeys)('accepts the key %j literally', async (key) => {
    const store = await openStore();
    expect(await store.create(key, bytes(key))).toBe(true);
    expect(await store.create(key, bytes('another'))).toBe(false);
    expect((await store.get(key))!.bytes).toEqual(bytes(key));
    expect(await keysOf(store, '')).toEqual([key]);
    expect(await store.swap(key, bytes('new'), (await store.get(key))!.version)).toBe(true);
    expect(await readFile((await store.localFile(key, await temporaryFolder()))!, 'utf8')).toBe('new');
    await store.delete(key);
    expect(await keysOf(store, '')).toEqual([]);
  });
}
