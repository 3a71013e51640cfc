import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { directoryStore } from '../../../lib/store/directory.ts';
import { withLock } from '../../../lib/store/lock.ts';
import { temporaryFolder } from '../../support/folder.ts';

async function holder(file: string) {
  const program = fileURLToPath(new URL('lock-holder.process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

test('one at a time holds the lock, in the same process too', async () => {
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

test('the lock goes when the work fails, and leaves nothing behind', async () => {
  const folder = await temporaryFolder();
  await expect(withLock(join(folder, 'file'), outOfLuck)).rejects.toThrow('out of luck');
  expect(await readdir(folder)).toEqual([]);
});

test('a lock held by a living process is waited for', async () => {
  const file = join(await temporaryFolder(), 'file');
  const child = await holder(file);
  let isMine = false;
  const mine = withLock(file, () => Promise.resolve((isMine = true)));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(isMine).toBe(false);
  child.kill('SIGKILL');
  await mine;
});

test('a process killed while it holds the lock blocks nobody, however many come', async () => {
  const folder = await temporaryFolder();
  const child = await holder(join(folder, 'pointer'));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const stores = Array.from({ length: 8 }, () => directoryStore(folder));
  const won = await Promise.all(stores.map((store) => store.swap('pointer', Buffer.from('1'), null)));
  expect(won.filter(Boolean)).toHaveLength(1);
  expect(await readdir(folder)).toEqual(['pointer']);
});

test('a lock left by an earlier process with the same id is taken over', async () => {
  const folder = await temporaryFolder();
  await withLock(join(folder, 'file'), async () => {
    const mine = JSON.parse(await readFile(join(folder, '.lock-file'), 'utf8')) as object;
    const earlier = JSON.stringify({ ...mine, started: '1', token: 'earlier' });
    await writeFile(join(folder, '.lock-other'), earlier);
  });
  expect(await withLock(join(folder, 'other'), () => Promise.resolve('mine'))).toBe('mine');
});

test('a lock held from elsewhere ends in a failure that names it, for somebody to look', async () => {
  const folder = await temporaryFolder();
  const elsewhere = { pid: process.pid, started: '1', machine: `not ${hostname()}`, token: 'theirs' };
  await writeFile(join(folder, '.lock-file'), JSON.stringify(elsewhere));
  const waiting = withLock(join(folder, 'file'), () => Promise.resolve(), 100);
  await expect(waiting).rejects.toThrow(`${join(folder, '.lock-file')} is held by another process`);
});

function outOfLuck(): Promise<never> {
  return Promise.reject(new Error('out of luck'));
}
