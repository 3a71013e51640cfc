/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { makeScratch } from '../../../lib/files/scratch.ts';
import { runProgram } from '../../support/program.ts';
import { temporaryFolder } from '../../support/folder.ts';

const program = fileURLToPath(new URL('./scratch.process.ts', import.meta.url));

/** Starts a process that makes a scratch folder; returns it and the path. */
async function holder(parent: string) {
  const child = spawn(process.execPath, [program, parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    folder: said.toString().trim(),
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

test('the folder of a killed process is removed by the next one that makes scratch; that of a living process is not', async () => {
  const parent = await temporaryFolder();
  const [dead, living] = [await holder(parent), await holder(parent)];
  await mkdir(join(dead.folder, 'below'));
  await writeFile(join(dead.folder, 'below', 'spilled'), 'a lot');
  await dead.kill();
  await using scratch = await makeScratch('ingest', parent);
  const own = scratch.path;
  expect(basename(own)).toMatch(/^sightline-ingest-\w{6}$/);
  const left = [living.folder, own].map((folder) => basename(folder));
  expect((await readdir(parent)).toSorted()).toEqual(left.toSorted());
});

test('no other folder is removed, whatever its name', async () => {
  const parent = await temporaryFolder();
  const dead = await holder(parent);
  const owner = await readFile(join(dead.folder, '.owner.db'));
  await dead.kill();
  const make = async (name: string, bytes: Uint8Array | null) => {
    await mkdir(join(parent, name));
    if (bytes !== null) await writeFile(join(parent, name, '.owner.db'), bytes);
  };
  await make('sightline-weekly-noown1', null);
  await make('sightline-weekly-broken', Buffer.from('no database at all, but a note that is long enough'));
  await make('sightline-postgres-data-of-mine', owner);
  await writeFile(join(parent, 'sightline-weekly-afile1'), owner);
  await make('elsewhere', owner);
  await symlink(join(parent, 'elsewhere'), join(parent, 'sightline-weekly-alink1'));
  const before = await readdir(parent);
  await using scratch = await makeScratch('weekly', parent);
  const own = scratch.path;
  const expected = before.filter((name) => name !== basename(dead.folder));
  expect((await readdir(parent)).toSorted()).toEqual([...expected, basename(own)].toSorted());
  expect(await readdir(join(parent, 'elsewhere'))).toEqual(['.owner.db']);
});

test('processes that look for abandoned folders do not disturb the removal of others', async () => {
  const parent = await temporaryFolder();
  const turns = fileURLToPath(new URL('./scratch-turns.program.ts', import.meta.url));
  const ended = await Promise.all(
    Array.from({ length: 4 }, async () => await runProgram(turns, [parent, '100'], {})),
  );
  for (const one of ended) expect(one).toMatchObject({ status: 0, stderr: '' });
  expect(await readdir(parent)).toEqual([]);
});
