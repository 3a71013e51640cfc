import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import { withLock } from '../../../lib/files/file-lock.ts';
import { replaceFile } from '../../../lib/files/replace-file.ts';
import { makeScratch } from '../../../lib/files/scratch.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { killAfterTest } from '../../support/program.ts';

const program = fileURLToPath(new URL('./scratch.process.ts', import.meta.url));

/** Starts a process that makes a scratch folder, and has the lock of a file in it. */
async function holder(parent: string) {
  const child = spawn(process.execPath, [program, parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  killAfterTest(child);
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const folder = printed.toString().trim();
  const kill = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return { folder, lock: join(folder, '.owner.db'), kill };
}

test('of several replacements at once each replaces the file completely, and nothing else is left', async () => {
  const folder = await temporaryFolder();
  const file = join(folder, 'metrics.prom');
  const contents = Array.from({ length: 16 }, (_, n) => String.fromCharCode(97 + n).repeat(1000 * (n + 1)));
  await Promise.all(contents.map((content) => replaceFile(file, content)));
  expect(contents).toContain(await readFile(file, 'utf8'));
  await mkdir(join(folder, 'taken'));
  for (const taken of [join(folder, 'taken'), join(file, 'below')])
    await expect(replaceFile(taken, '')).rejects.toThrow(`${taken} cannot be written: `);
  expect((await readdir(folder)).toSorted()).toEqual(['metrics.prom', 'taken']);
});

test('only one caller has a lock at a time, and that of a killed process blocks no other', async () => {
  const { lock, kill } = await holder(await temporaryFolder());
  const waiting = withLock(lock, () => Promise.resolve(), 50);
  await expect(waiting).rejects.toThrow(new Failure(`${lock} is locked by another process`));
  await expect(withLock(join(lock, 'below'), () => waiting)).rejects.toThrow('/below cannot be locked: ');
  await kill();
  let inside = 0;
  const work = async () => {
    inside += 1;
    await new Promise(setImmediate);
    expect(inside).toBe(1);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(lock, work)));
});

test('the scratch of a killed process is removed by the next one that makes scratch, and no other folder', async () => {
  const parent = await temporaryFolder();
  const [dead, living] = [await holder(parent), await holder(parent)];
  await mkdir(join(dead.folder, 'below'));
  await writeFile(join(dead.folder, 'below', 'spilled'), 'a lot');
  await dead.kill();
  const owner = await readFile(dead.lock);
  for (const [name, bytes] of [
    ['sightline-weekly-broken', 'no database at all, but a note that is long enough'],
    ['sightline-postgres-data-of-mine', owner],
    ['elsewhere', owner],
  ] as const) {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, '.owner.db'), bytes);
  }
  await symlink(join(parent, 'elsewhere'), join(parent, 'sightline-weekly-alink1'));
  const before = await readdir(parent);
  await using scratch = await makeScratch('ingest', parent);
  expect(basename(scratch.path)).toMatch(/^sightline-ingest-\w{6}$/);
  const expected = before.filter((name) => name !== basename(dead.folder));
  expect(expected).toContain(basename(living.folder));
  expect((await readdir(parent)).toSorted()).toEqual([...expected, basename(scratch.path)].toSorted());
  expect(await readdir(join(parent, 'elsewhere'))).toEqual(['.owner.db']);
});
