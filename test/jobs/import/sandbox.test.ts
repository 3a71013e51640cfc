/** @module-tag long */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { imported } from './imports.ts';

/** Runs a mapping that does something else, too; says how it ended and what lies in its folder then. */
async function tried(more: (folder: string) => string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'given.csv'), 'name\nAcme\n');
  await writeFile(join(folder, 'secret.csv'), 'name\nSecret\n');
  const mapping = join(folder, 'mine.sql');
  await writeFile(
    mapping,
    `create table source.given (name varchar not null);
     ${more(folder)};
     create view workspaces as select id_of('x', name) as id, name from source.given`,
  );
  const before = await readdir(folder);
  const error = await imported({ mapping, from: [join(folder, 'given.csv')] }).then(
    () => null,
    (thrown: unknown) => thrown as Error,
  );
  return { error, isUntouched: (await readdir(folder)).join() === before.join() };
}

test('a mapping that only creates works', async () => {
  expect(await tried(() => 'create view other as select 1 as one')).toEqual({
    error: null,
    isUntouched: true,
  });
});

test.each<[string, (folder: string) => string]>([
  ['another file', (folder) => `create view x as from read_csv('${folder}/secret.csv')`],
  ['another file, into a table', (folder) => `create table x as from read_text('${folder}/secret.csv')`],
  ['a list of files', (folder) => `create table x as from glob('${folder}/*')`],
  ['a file of the system', () => `create table x as from read_text('/etc/hostname')`],
  ['the network', () => `create table x as from read_csv('https://example.com/x.csv')`],
  [
    'another file, when a record is made',
    (folder) =>
      `create macro f() as (select content from read_text('${folder}/secret.csv')); create table x as select f()`,
  ],
])('a mapping cannot read %s', async (_, more) => {
  const { error } = await tried(more);
  expect(error).toMatchObject({
    name: 'Failure',
    message: expect.stringContaining('disabled by configuration') as string,
  });
});

test.each<[string, (folder: string) => string]>([
  ['write a file', (folder) => `copy (select 1) to '${folder}/new.csv'`],
  ['change a given file', (folder) => `copy (select 1) to '${folder}/given.csv'`],
  ['make a database', (folder) => `attach '${folder}/new.db'`],
  ['install an extension', () => 'install httpfs'],
  ['load an extension', () => 'load httpfs'],
  ['allow itself more', () => 'set enable_external_access = true'],
  ['export a database', (folder) => `export database '${folder}/new'`],
  ['run a query', () => 'select 1'],
])('a mapping cannot %s', async (_, more) => {
  const { error, isUntouched } = await tried(more);
  expect(error).toMatchObject({ name: 'Failure' });
  expect(error!.message).toMatch(/is not a create|disabled by configuration/);
  expect(isUntouched).toBe(true);
});
