import { execFile } from 'node:child_process';
import { chmod, mkdir, open, readdir, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../../../lib/failure.ts';
import { sha256 } from '../../../../lib/hash.ts';
import { directoryStore } from '../../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { bytes, describeStore } from '../contract.ts';

describe('a directory store', () => {
  describeStore(async () => {
    const folder = join(await temporaryFolder(), 'store');
    return () => directoryStore(folder);
  });

  test('a write is durable, new folders too, and sweeps away what a killed one left a day ago, and nothing that is younger', async () => {
    const folder = await temporaryFolder();
    const synced = await syncedBelow(folder);
    const store = directoryStore(folder);
    await store.create('new/folder/x', bytes('1'));
    expect(synced.splice(0).toSorted()).toEqual(['', '/new', '/new/folder', '/new/folder/.tmp']);
    const young = join(folder, 'create/.tmp-young');
    for (const [below, write] of Object.entries({
      create: () => store.create('create/x', bytes('1')),
      createMany: () => store.createMany([{ key: 'createMany/x', bytes: bytes('1') }]),
      createFromFile: () => store.createFromFile('createFromFile/x', young),
      swap: () => store.swap('swap/x', bytes('1'), null),
    })) {
      await mkdir(join(folder, below));
      for (const [name, daysAgo] of Object.entries({ '.tmp-old': 2, '.tmp-young': 0.5 })) {
        await writeFile(join(folder, below, name), 'half');
        const time = Date.now() / 1000 - daysAgo * 86_400;
        await utimes(join(folder, below, name), time, time);
      }
      await write();
      expect(synced.splice(0).toSorted()).toEqual([`/${below}`, `/${below}/.tmp`]);
      expect((await readdir(join(folder, below))).toSorted()).toEqual(['.tmp-young', 'x']);
      expect((await stat(join(folder, below, 'x'))).mode & 0o777).toBe(0o444);
    }
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

  test('refuses keys that would leave the folder or hide in it', async () => {
    const store = directoryStore(join(await temporaryFolder(), 'store'));
    for (const key of ['', '/x', 'x/', 'a//b', '../x', 'a/../../x', '.hidden', 'a/.tmp-x']) {
      await expect(async () => await store.create(key, bytes(''))).rejects.toThrow('is not a valid key');
      await expect(async () => await store.get(key)).rejects.toThrow('is not a valid key');
      await expect(store.createMany([{ key, bytes: bytes('') }])).rejects.toThrow('is not a valid key');
    }
  });
});

describe('a fault of the folder is a failure that names the path', () => {
  test('a folder in the place of the object, or one that may not be written', async () => {
    const folder = await temporaryFolder();
    const store = directoryStore(folder);
    await store.create('there', bytes('1'));
    await mkdir(join(folder, 'y'));
    await expectFailureAt(join(folder, 'y'), () => store.create('y', bytes('')));
    await expectFailureAt(join(folder, 'y'), () => store.swap('y', bytes(''), null));
    const entries = ['y', ...Array.from({ length: 99 }, (_, index) => `many/${index}`)];
    const createMany = () => store.createMany(entries.map((key) => ({ key, bytes: bytes('') })));
    await expectFailureAt(join(folder, 'y'), createMany);
    expect(await store.get('many/98')).toBeNull();
    expect((await readdir(folder)).toSorted()).toEqual(['.lock.db', 'many', 'there', 'y']);
    await chmod(folder, 0o555);
    withoutPrivileges();
    const x = join(folder, 'x');
    await expectFailureAt(x, () => store.create('x', bytes('')));
    await expectFailureAt(x, () => store.createMany([{ key: 'x', bytes: bytes('') }]));
    await expectFailureAt(x, () => store.createFromFile('x', join(folder, 'there')));
    await expectFailureAt(x, () => store.swap('x', bytes(''), null));
    await expectFailureAt(join(folder, 'there'), () => store.delete('there'));
    expect(await store.create('there', bytes('2'))).toBe(false);
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
      const link = join(folder, key.slice(0, 4));
      const failure = new Failure(`${link} is reached by a symbolic link, so nothing is deleted there`);
      await expect(store.delete(key)).rejects.toThrow(failure);
      expect(await store.get(key)).not.toBeNull();
    }
    await symlink('..', join(folder, 'own/loop'));
    await expect(Array.fromAsync(store.list('own/'))).rejects.toThrow(
      /own\/loop is a symbolic link to a folder that contains it$/,
    );
    await symlink(folder, join(elsewhere, 'store'));
    await directoryStore(join(elsewhere, 'store')).delete('own/there');
    expect(await store.get('own/there')).toBeNull();
  });
});

async function expectFailureAt(path: string, attempt: () => Promise<unknown>): Promise<void> {
  const failure: unknown = await attempt().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect((failure as Failure).message).toContain(path);
}

/** Root may do everything, so this process runs as `nobody` for the rest of the test. */
function withoutPrivileges(): void {
  if (process.geteuid!() !== 0) return;
  process.seteuid!(65_534);
  onTestFinished(() => process.seteuid!(0));
}

/** The files and folders that are synced from now on, instead of which they are named. */
async function syncedBelow(folder: string): Promise<string[]> {
  await using handle = await open(folder, 'r');
  const synced: string[] = [];
  const sync = vi.spyOn(Object.getPrototypeOf(handle) as typeof handle, 'sync');
  onTestFinished(() => sync.mockRestore());
  sync.mockImplementation(async function (this: typeof handle) {
    synced.push((await readlink(`/proc/self/fd/${this.fd}`)).slice(folder.length).replace(/-[-\w]{36}$/, ''));
  });
  return synced;
}
