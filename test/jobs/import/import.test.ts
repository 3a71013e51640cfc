/** @module-tag long */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { imported, tried } from './imports.ts';
import type { Given } from './imports.ts';

type Row = [brand: string, prompt: string, engine: string, ranAt: string, answer: string, status: string];

const csv = (rows: readonly Row[]) =>
  ['brand,prompt,engine,ran_at,answer,status', ...rows.map((row) => row.join(','))]
    .map((line) => `${line}\n`)
    .join('');

/** An export of one file or several, ready to be imported. */
async function exportOf(files: Record<string, string | Buffer>): Promise<Given> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return { mapping: 'spreadsheet', from: Object.keys(files).map((name) => join(folder, name)) };
}

/** One answer for each prompt, engine and instant: of two different ones the first row counts. */
const rows: fc.Arbitrary<Row[]> = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom('Acme', 'Globex'),
    fc.constantFrom('Which?', 'Who?'),
    fc.constantFrom('ChatGPT', 'Claude'),
    fc.constantFrom('2026-11-16', '2026-11-17', '2026-11-17T00:00:00Z', '2026-11-25'),
    fc.constantFrom('Acme', 'Globex and Acme', '', 'none'),
    fc.constantFrom('', 'failed'),
  ),
  {
    minLength: 1,
    maxLength: 12,
    selector: ([brand, prompt, engine, ranAt]) => [brand, prompt, engine, Date.parse(ranAt)].join(),
  },
);

test('the order of files and of rows, and rows that come twice, change nothing in the drop', async () => {
  const withOrders = rows.chain((given) =>
    fc.tuple(
      fc.constant(given),
      fc.shuffledSubarray(given, { minLength: given.length }),
      fc.subarray(given),
      fc.nat(given.length),
    ),
  );
  await fc.assert(
    fc.asyncProperty(withOrders, async ([given, shuffled, again, cut]) => {
      const one = await imported(await exportOf({ 'a.csv': csv(given) }));
      const parts = {
        'y.csv': csv(shuffled.slice(0, cut)),
        'x.csv': csv([...shuffled.slice(cut), ...again]),
      };
      const other = await imported(await exportOf(parts));
      const { 'import.json': _, ...files } = one.files;
      const { 'import.json': __, ...otherFiles } = other.files;
      expect(otherFiles).toEqual(files);
    }),
    { numRuns: 4 },
  );
});

const answer: Row = ['Acme', 'Which?', 'grok', '2026-11-16', 'Acme', ''];

test('the same files make the same bytes, in any order of their paths, and a second import into one folder is none', async () => {
  const given = await exportOf({ 'b.csv': csv([answer]), 'a.csv.gz': gzipSync(csv([answer, answer])) });
  const drop = await imported(given);
  const reversed = await imported({ ...given, from: given.from.toReversed() });
  expect(reversed.files).toEqual(drop.files);
  expect(drop.report.isKnown).toBe(false);
  expect((await imported({ ...given, to: drop.folder })).report.isKnown).toBe(true);
  await writeFile(join(drop.folder, 'runs.ndjson'), 'changed');
  await expect(imported({ ...given, to: drop.folder })).rejects.toThrow('is not empty');
});

test('JSON, NDJSON, tabs and semicolons are read like CSV', async () => {
  const expected = (await imported(await exportOf({ 'a.csv': csv([answer]) }))).files['runs.ndjson'];
  const record = { brand: 'Acme', prompt: 'Which?', engine: 'grok', ran_at: '2026-11-16', answer: 'Acme' };
  for (const [name, content] of Object.entries({
    'a.json': JSON.stringify([record]),
    'a.jsonl.gz': gzipSync(JSON.stringify(record)),
    'a.tsv': 'brand\tprompt\tengine\tran_at\tanswer\r\nAcme\tWhich?\tgrok\t2026-11-16\tAcme\r\n',
    'a.csv': '\ufeffbrand;prompt;engine;ran_at;answer\r\nAcme;Which?;grok;2026-11-16;"Acme"\r\n;;;;\r\n',
  }))
    expect((await imported(await exportOf({ [name]: content }))).files['runs.ndjson']).toBe(expected);
});

test('answers may contain lines that look like rows of the export, in a large file too', async () => {
  const lines = Array.from({ length: 100 }, (_, n) => `${n},Acme,5,yes,good,a,b`).join('\n');
  const many = Array.from({ length: 4000 }, (_, n): Row => [
    'Acme',
    `Which ${n}?`,
    'grok',
    '2026-11-16',
    `"${lines}"`,
    '',
  ]);
  expect((await tried('spreadsheet', { 'answers.csv': csv(many) })).drop!.report.kept).toBe(4000);
});

test('--json prints the report', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'answers.csv'), csv([answer]));
  const args = ['--mapping', 'spreadsheet', '--from', 'answers.csv', '--to', 'drop', '--json'];
  const ended = await runHere('job', ['import', ...args], { folder });
  expect(ended).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject({ read: 1, kept: 1, newestCycle: '2026-11-16' });
});

test.each([
  [['--set', 'brand']],
  [['--engine', 'Copilot=bing']],
  [['--cycles', 'hourly']],
  [['--allow-skipped', '101']],
  [['--allow-missing', '-1']],
])('%j is wrong usage: status 2', async (args) => {
  const usual = ['import', '--mapping', 'spreadsheet', '--from', 'x', '--to', 'y'];
  const ended = await runHere('job', [...usual, ...args]);
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended.stderr).toMatch(/^error: [^\n]+\n/);
});
