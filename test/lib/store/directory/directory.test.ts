import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../../lib/failure.ts';
import { sha256 } from '../../../../lib/hash.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../../lib/store/store.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { bytes } from '../contract-reads.ts';
import { describeStore } from '../contract.ts';

describe('a directory store', () => {
  describeStore(async () => {
    const folder = join(await temporaryFolder(), 'store');
    return () => directoryStore(folder);
  });

  test('makes its folder when something is written, not before', async () => {
    const folder = join(await temporaryFolder(), 'a', 'b');
    const store = directoryStore(folder);
    expect(await store.get('x')).toBeNull();
    await expect(stat(folder)).rejects.toThrow('ENOENT');
    await expect(store.check()).rejects.toThrow(`${folder} does not exist`);
    expect(await store.create('x', bytes('1'))).toBe(true);
    await store.check();
    expect(await readdir(folder)).toEqual(['x']);
  });

  test.each<[string, (store: ObjectStore, folder: string) => Promise<unknown>]>([
    ['create', (store) => store.create('new/x', bytes('1'))],
    ['createMany', (store) => store.createMany([{ key: 'new/x', bytes: bytes('1') }])],
    ['createFromFile', (store, folder) => store.createFromFile('new/x', join(folder, 'new/.tmp-young'))],
    ['swap', (store) => store.swap('new/x', bytes('1'), null)],
  ])('sweeps away what a killed %s left a day ago, and nothing that is younger', async (_name, write) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'new'));
    for (const [name, daysAgo] of [
      ['.tmp-old', 2],
      ['.tmp-young', 0.5],
    ] as const) {
      await writeFile(join(folder, 'new', name), 'half');
      const time = Date.now() / 1000 - daysAgo * 86_400;
      await utimes(join(folder, 'new', name), time, time);
    }
    await write(directoryStore(folder), folder);
    expect((await readdir(join(folder, 'new'))).toSorted()).toEqual(['.tmp-young', 'x']);
  });

  test('writes nothing after createMany has failed', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'key-5'));
    const entries = Array.from({ length: 100 }, (_, n) => ({ key: `key-${n}`, bytes: Buffer.alloc(50_000) }));
    await expect(directoryStore(folder).createMany(entries)).rejects.toThrow(join(folder, 'key-5'));
    const after = await readdir(folder);
    expect(after.length).toBeLessThan(50);
    expect(after.filter((name) => name.startsWith('.tmp-'))).toEqual([]);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(await readdir(folder)).toEqual(after);
  });

  test('hashes an object without a wait, unless it is larger than expected', async () => {
    const store = directoryStore(await temporaryFolder());
    await store.create('folder/x', bytes('123'));
    expect(store.hash!('folder/x', 3)).toEqual({ bytes: 3, sha256: sha256(bytes('123')) });
    expect(['none', 'folder'].map((key) => store.hash!(key, 3))).toEqual([null, null]);
    expect(() => store.hash!('folder/x', 2)).toThrow('has more than 2 bytes');
  });

  test('lists neither the lost+found of a disk, which only root may read, nor partial files', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'lost+found'));
    await writeFile(join(folder, 'lost+found', '#12'), 'lost');
    await writeFile(join(folder, '.tmp-0'), 'half');
    expect(await Array.fromAsync(directoryStore(folder).list(''))).toEqual([]);
  });

  test.each(['', '/x', 'x/', 'a//b', '../x', 'a/../../x', '.hidden', 'a/.tmp-x'])(
    'refuses the key %j, which would leave the folder or hide in it',
    async (key) => {
      const store = directoryStore(join(await temporaryFolder(), 'store'));
      await expect(async () => await store.create(key, bytes(''))).rejects.toThrow('is not a valid key');
      await expect(async () => await store.get(key)).rejects.toThrow('is not a valid key');
      await expect(store.createMany([{ key, bytes: bytes('') }])).rejects.toThrow('is not a valid key');
    },
  );
});

describe('a fault of the folder is a failure that names the path', () => {
  test('a folder where the object should be', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'x'));
    const store = directoryStore(folder);
    expect(
      await silentAbout(join(folder, 'x'), [
        () => store.create('x', bytes('')),
        () => store.createMany([{ key: 'x', bytes: bytes('') }]),
        () => store.swap('x', bytes(''), null),
      ]),
    ).toEqual([]);
    expect((await readdir(folder)).toSorted()).toEqual(['.lock.db', 'x']);
  });

  test('a folder that may not be written', async () => {
    const folder = await temporaryFolder();
    const store = directoryStore(folder);
    await store.create('there', bytes('1'));
    const { version } = (await store.get('there'))!;
    await chmod(folder, 0o555);
    withoutPrivileges();
    expect(
      await silentAbout(join(folder, 'x'), [
        () => store.create('x', bytes('')),
        () => store.createMany([{ key: 'x', bytes: bytes('') }]),
        () => store.createFromFile('x', join(folder, 'there')),
      ]),
    ).toEqual([]);
    expect(
      await silentAbout(join(folder, '.lock.db'), [
        () => store.swap('x', bytes(''), null),
        () => store.swap('there', bytes('2'), version),
      ]),
    ).toEqual([]);
    expect(await silentAbout(join(folder, 'there'), [() => store.delete('there')])).toEqual([]);
    expect((await store.get('there'))!.bytes).toEqual(bytes('1'));
  });

  test.skipIf(process.platform !== 'linux')('a pipe or a device, which is not waited for', async () => {
    const folder = await temporaryFolder();
    const store = directoryStore(folder);
    await promisify(execFile)('mkfifo', [join(folder, 'pipe')]);
    await symlink('/dev/zero', join(folder, 'device'));
    for (const key of ['pipe', 'device']) {
      const failure = new Failure(`${join(folder, key)} is a pipe or a device, not a file`);
      await expect(store.get(key)).rejects.toThrow(failure);
      expect(() => store.hash!(key, Infinity)).toThrow(failure);
      expect(await store.localFile(key, folder)).toBeNull();
    }
  });

  test('a symbolic link, through which nothing is deleted', async () => {
    const [folder, elsewhere] = [await temporaryFolder(), await temporaryFolder()];
    const store = directoryStore(folder);
    await store.create('own/there', bytes('1'));
    await writeFile(join(elsewhere, 'theirs'), '2');
    await symlink(elsewhere, join(folder, 'away'));
    await symlink('own', join(folder, 'near'));
    for (const key of ['away/theirs', 'near/there']) {
      expect((await Array.fromAsync(store.list(''))).map((object) => object.key)).toContain(key);
      await expect(store.delete(key)).rejects.toThrow(/is reached by a symbolic link, so nothing is deleted/);
      expect(await store.get(key)).not.toBeNull();
    }
    await symlink(folder, join(elsewhere, 'store'));
    await directoryStore(join(elsewhere, 'store')).delete('own/there');
    expect(await store.get('own/there')).toBeNull();
  });
});

/** The results of the attempts that are not a failure that names the path. */
async function silentAbout(path: string, attempts: (() => Promise<unknown>)[]): Promise<unknown[]> {
  const outcomes = attempts.map(async (attempt) => await attempt().catch((error: unknown) => error));
  return (await Promise.all(outcomes)).filter(
    (outcome) => !(outcome instanceof Failure && outcome.message.includes(path)),
  );
}

/** Root may do everything, so this process runs as `nobody` for the rest of the test. */
function withoutPrivileges(): void {
  if (process.geteuid!() !== 0) return;
  process.seteuid!(65_534);
  onTestFinished(() => process.seteuid!(0));
}
