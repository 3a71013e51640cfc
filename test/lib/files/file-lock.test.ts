import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { withLock } from '../../../lib/files/file-lock.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { killAfterTest } from '../../support/program.ts';

async function holder(file: string) {
  const program = fileURLToPath(new URL('./lock-holder.process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  killAfterTest(child);
  await once(child.stdout, 'data');
  return child;
}

test('only one caller has the lock at a time, also within one process', async () => {
  const file = join(await temporaryFolder(), 'file');
  let inside = 0;
  const work = async () => {
    inside += 1;
    await new Promise(setImmediate);
    expect(inside).toBe(1);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(file, work)));
});

test('the lock of a killed process blocks no other, with many waiting', async () => {
  const folder = await temporaryFolder();
  const child = await holder(join(folder, '.lock.db'));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const stores = Array.from({ length: 8 }, () => directoryStore(folder));
  const won = await Promise.all(stores.map((store) => store.swap('pointer', Buffer.from('1'), null)));
  expect(won.filter(Boolean)).toHaveLength(1);
  expect((await readdir(folder)).toSorted()).toEqual(['.lock.db', 'pointer']);
});

test('a lock that is not released in time is a failure that names it', async () => {
  const file = join(await temporaryFolder(), 'lock');
  const child = await holder(file);
  const waiting = withLock(file, () => Promise.resolve(), 50);
  await expect(waiting).rejects.toThrow(new Failure(`${file} is locked by another process`));
  child.kill('SIGKILL');
});

test('a file that is not a lock, or cannot be created, is a failure at once', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'note'), 'no database at all, but a note that is long enough');
  for (const file of [join(folder, 'note'), join(folder, 'none', 'lock')]) {
    await expect(withLock(file, () => Promise.resolve())).rejects.toThrow(`${file} cannot be locked: `);
  }
});
