/** @module-tag long */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Failure } from '../../../lib/failure.ts';
import { importExport } from '../../../jobs/import/import.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { clock } from './imports.ts';

const HEADER = 'brand,prompt,engine,ran_at,answer\n';
const ROW = 'Acme,Which?,ChatGPT,2026-11-16,Acme\n';

/** Imports a file in a folder of its own; what it failed with, and what lies in the folder then. */
async function failed(file: string, content: string | Buffer, mapping: string, sql: string | null = null) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, file), content);
  if (sql !== null) await writeFile(join(folder, 'mine.sql'), sql);
  const before = await readdir(folder);
  const error = await importExport({
    mapping: sql === null ? mapping : join(folder, 'mine.sql'),
    from: [join(folder, file)],
    to: join(folder, 'deep/down/drop'),
    settings: {},
    engines: {},
    cycles: 'weekly',
    allowSkipped: 5,
    allowMissing: 0,
    clock,
  }).then(
    () => null,
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ name: 'Failure' });
  const lines = [error!.message, ...(error as Failure).details];
  expect(lines.join('')).not.toContain('\n');
  expect(await readdir(folder)).toEqual(before);
  return lines.join(' | ').replaceAll(`${folder}/`, '');
}

test.each([
  [
    'a.csv',
    `${HEADER}Acme,Which?,Bing,16.11.2026,Acme\nAcme,Which?,ChatGPT,16.11.2026,Acme\n,,,,\n`,
    /^2 of 2 .*ran_at is neither .* \(2\): a\.csv row 2: 16\.11\.2026; a\.csv row 3: 16\.11\.2026 \| engine is unknown: Bing \(1\): a\.csv row 2 \| to skip .*--engine 'Bing=skip'/,
  ],
  [
    'a.csv',
    'brand,prompt,ran_at\nx,y,z\n',
    /^cells to mend.*: 2; .* \| ran_at is neither .* \(1\): a\.csv row 2: z \| there is no column engine \(1\): a\.csv row 1$/,
  ],
  [
    'a.csv',
    `Answers,,,,\n${HEADER}`,
    /there is no column brand \(1\): a\.csv row 1: not read: Answers, column 2, /,
  ],
  ['a.csv', `,,,,\n${HEADER}`, /^a\.csv has no names of columns in its first row$/],
  ['a.csv', `${HEADER},Which?,ChatGPT,2026-11-16,Acme\n`, /brand is missing \(1\): a\.csv row 2$/],
  ['a.csv', `${HEADER}${ROW}Acme,Which?\n`, /a\.csv line 3: .*in quotes$/],
  ['a.csv', Buffer.from(`${HEADER}\xff${ROW}`, 'latin1'), /a\.csv line 2: Invalid unicode.*CSV UTF-8/],
  ['a.csv', 'brand,brand\n', /^a\.csv has two columns named brand$/],
  ['a.csv', 'brand,Brand\n', /^a\.csv has two columns named Brand$/],
  ['a.csv', '', /^a\.csv has no names of columns in its first row$/],
  ['a.csv.gz', gzipSync(`${HEADER}${ROW}`).subarray(0, 40), /^a\.csv\.gz cannot be read: /],
  ['a.parquet', 'no Parquet', /a\.parquet/],
  ['a.txt', HEADER, /^a\.txt is not \.csv/],
  ['a[1].csv', HEADER, /^a\[1\]\.csv has \* \? or \[ in its name; rename it$/],
  ['a.csv', HEADER, /mapping spreadsheet found nothing in these files$/],
])('a bad file, %s %j: one line', async (file, content, message) => {
  expect(await failed(file, content, 'spreadsheet')).toMatch(message);
});

test.each([
  [
    '{"schemaVersion":"canonry.results-export/v2","project":{},"records":[]}',
    /schemaVersion is .*\/v2, not .*\/v1/,
  ],
  [
    '{"schemaVersion":"canonry.results-export/v1","project":{"id":"p"}}',
    /records is missing \(1\): a\.json row 1$/,
  ],
  [
    '{"schemaVersion":"canonry.results-export/v1","project":{"id":"p"},"records":[1]}',
    /a\.json.*Expected OBJECT/,
  ],
  ['{"schemaVersion":', /a\.json/],
])('a bad export %s: one line that names file or column', async (content, message) => {
  expect(await failed('a.json', content, 'canonry')).toMatch(message);
});

const source = 'create table source.a (name varchar);';

test.each([
  ['', /creates nothing$/],
  ['create view runs as select 1 as id', /declares no table in the schema source/],
  [`create macro one() as 1; ${source}`, /must declare the tables of source and extra before anything else$/],
  [source, /creates none of the views workspaces, brands/],
  [`${source} create view runs as select 1 as id`, /the view runs has no column brand_id$/],
  [`${source} create view brands as select nam from source.a`, /mine\.sql: .*"nam"/],
  [`${source} create view brands as selec`, /mine\.sql: .*syntax error/],
  [
    `${source} create view workspaces as select id_of('x', 'same') as id, name from source.a`,
    /the view workspaces: the id \S+ stands for different records$/,
  ],
  [`${source} create view workspaces as select name as id, name from source.a`, /mine\.sql: .* column id$/],
])('a wrong mapping %j: one line', async (sql, message) => {
  expect(await failed('a.csv', 'name\none\ntwo\n', '', sql)).toMatch(message);
});

test('an unknown mapping, setting or file, and a folder in use: one line', async () => {
  const folder = await temporaryFolder();
  const from = [join(folder, 'a.csv')];
  await writeFile(from[0]!, `${HEADER}${ROW}`);
  const usual = { mapping: 'spreadsheet', from, to: join(folder, 'drop'), settings: {}, engines: {} };
  const run = async (more: object) =>
    await importExport({ ...usual, cycles: 'weekly', allowSkipped: 5, allowMissing: 0, clock, ...more });
  await expect(run({ mapping: 'excel' })).rejects.toThrow(
    'one of canonry, otterly, peec, profound, spreadsheet',
  );
  await expect(run({ settings: { brnad: 'x' } })).rejects.toThrow(
    'has no setting brnad; it has created_at, dates, workspace',
  );
  await expect(run({ from: [join(folder, 'b.csv')] })).rejects.toThrow('b.csv does not exist');
  await expect(run({ to: folder })).rejects.toThrow('is not empty; choose another folder');
  await expect(run({ to: from[0] })).rejects.toThrow('a.csv cannot be written');
  await expect(run({ mapping: 'peec' })).rejects.toThrow('names begin with one of brands, chats, contents');
  expect(await readdir(folder)).toEqual(['a.csv']);
});
