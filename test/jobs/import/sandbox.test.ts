/** @module-tag long */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { imported } from './imports.ts';

/** Runs a mapping that does something else, too; says how it ended and what lies in its folder then. */
async function triedWith(more: (folder: string) => string) {
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
  expect(await triedWith(() => 'create view other as select 1 as one')).toEqual({
    error: null,
    isUntouched: true,
  });
});

test.each<[string, (folder: string) => string]>([
  ['read another file', (folder) => `create table x as from read_csv('${folder}/secret.csv')`],
  ['list files', (folder) => `create table x as from glob('${folder}/*')`],
  ['use the network', () => `create table x as from read_csv('https://example.com/x.csv')`],
  [
    'read another file when a record is made',
    (folder) =>
      `create macro f() as (select content from read_text('${folder}/secret.csv')); create table x as select f()`,
  ],
  ['write a file', (folder) => `copy (select 1) to '${folder}/new.csv'`],
  ['make a database', (folder) => `attach '${folder}/new.db'`],
  ['load an extension', () => 'load httpfs'],
  ['allow itself more', () => 'set enable_external_access = true'],
  ['run a query', () => 'select 1'],
])('a mapping cannot %s', async (_, more) => {
  const { error, isUntouched } = await triedWith(more);
  expect(error).toMatchObject({
    name: 'Failure',
    message: expect.stringMatching(/is not a create|disabled by configuration/) as string,
  });
  expect(isUntouched).toBe(true);
});
