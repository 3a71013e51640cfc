/** @module-tag long */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { imported, recordsOf } from './imports.ts';
import type { Given } from './imports.ts';

const HEADER = 'brand,prompt,engine,ran_at,answer,status';
type Row = [brand: string, prompt: string, engine: string, ranAt: string, answer: string, status?: string];

const csv = (rows: readonly Row[]) =>
  [HEADER, ...rows.map((row) => [...row, '', ''].slice(0, 6).join(','))].map((line) => `${line}\n`).join('');

/** An export of one file or several, ready to be imported. */
async function exportOf(files: Record<string, string | Buffer>): Promise<Given> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return { mapping: 'spreadsheet', from: Object.keys(files).map((name) => join(folder, name)) };
}

interface Run {
  engine: string;
  cycle_date: string;
  ran_at: string;
  status: string;
}
const runsOf = (drop: Parameters<typeof recordsOf>[0]) =>
  recordsOf<Run>(drop, 'runs.ndjson').map(({ cycle_date, ran_at, status }) => [
    cycle_date,
    ran_at.slice(0, 16),
    status,
  ]);

const week: Row[] = [
  ['Acme', 'Which?', 'ChatGPT', '2026-11-22T23:59:59Z', 'Acme'],
  ['Acme', 'Which?', 'ChatGPT', '2026-11-17T09:00:00Z', 'no'],
  ['Acme', 'Which?', 'ChatGPT', '2026-11-17T08:00:00Z', 'no'],
  ['Acme', 'Which?', 'ChatGPT', '2026-11-16T05:00:00Z', '', 'failed'],
  ['Acme', 'Which?', 'ChatGPT', '2026-11-23T00:00:00Z', 'no'],
];

describe('one run for each prompt, engine and cycle', () => {
  test('weekly: the one nearest to Monday, then the earliest; a failed one only where there is no other', async () => {
    const drop = await imported(await exportOf({ 'a.csv': csv(week) }));
    expect(runsOf(drop)).toEqual([
      ['2026-11-16', '2026-11-17T08:00', 'success'],
      ['2026-11-23', '2026-11-23T00:00', 'success'],
    ]);
    expect(drop.report).toMatchObject({
      read: 5,
      kept: 2,
      skipped: 0,
      findings: [
        {
          kind: 'merged',
          reason: 'another answer of the same week',
          records: 3,
          first: ['a.csv row 2', 'a.csv row 3', 'a.csv row 5'].map((place) => `${place}: a.csv row 4 stays`),
        },
      ],
    });
  });

  test('daily: each day is a cycle', async () => {
    const drop = await imported({ ...(await exportOf({ 'a.csv': csv(week) })), cycles: 'daily' });
    expect(runsOf(drop)).toEqual([
      ['2026-11-16', '2026-11-16T05:00', 'failed'],
      ['2026-11-17', '2026-11-17T08:00', 'success'],
      ['2026-11-22', '2026-11-22T23:59', 'success'],
      ['2026-11-23', '2026-11-23T00:00', 'success'],
    ]);
  });
});

test('a spreadsheet with a byte order mark, semicolons, quotes and empty rows is read', async () => {
  const file =
    '\ufeffbrand;prompt;engine;ran_at;answer\r\nAcmé;"Which ""CRM""; now?";ChatGPT;2026-11-16;Acmé\r\n;;;;\r\n';
  const drop = await imported(await exportOf({ 'a.csv': file }));
  expect(recordsOf(drop, 'prompts.ndjson')).toMatchObject([{ text: 'Which "CRM"; now?' }]);
  expect(recordsOf(drop, 'runs.ndjson')).toMatchObject([{ mentions: [{ name: 'Acmé' }] }]);
});

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
    { numRuns: 8 },
  );
});

test('the same files make the same bytes, in any order of their paths, and a second import into one folder is none', async () => {
  const given = await exportOf({ 'b.csv': csv(week), 'a.csv.gz': gzipSync(csv(week.slice(0, 2))) });
  const drop = await imported(given);
  const reversed = await imported({ ...given, from: given.from.toReversed() });
  expect(reversed.files).toEqual(drop.files);
  expect(drop.report.isKnown).toBe(false);
  expect((await imported({ ...given, to: drop.folder })).report.isKnown).toBe(true);
  await writeFile(join(drop.folder, 'runs.ndjson'), 'changed');
  await expect(imported({ ...given, to: drop.folder })).rejects.toThrow('is not empty');
});

test('JSON, NDJSON and Parquet are read like CSV', async () => {
  const record = { brand: 'Acme', prompt: 'Which?', engine: 'grok', ran_at: '2026-11-16', answer: 'Acme' };
  const expected = (
    await imported(await exportOf({ 'a.csv': csv([['Acme', 'Which?', 'grok', '2026-11-16', 'Acme']]) }))
  ).files['runs.ndjson'];
  for (const [name, content] of Object.entries({
    'a.json': JSON.stringify([record]),
    'a.ndjson': `${JSON.stringify(record)}\n`,
    'a.jsonl.gz': gzipSync(JSON.stringify(record)),
    'a.tsv': 'brand\tprompt\tengine\tran_at\tanswer\r\nAcme\tWhich?\tgrok\t2026-11-16\tAcme\r\n',
  })) {
    expect((await imported(await exportOf({ [name]: content }))).files['runs.ndjson']).toBe(expected);
  }
});

const job = async (...args: string[]) => await runHere('job', ['import', ...args]);
const withUnknown = (unknown: number): Row[] => [
  ...Array.from({ length: 20 - unknown }, (_, n): Row => [
    'Acme',
    `Which ${n}?`,
    'grok',
    '2026-11-16',
    'Acme',
  ]),
  ...Array.from({ length: unknown }, (_, n): Row => ['Acme', `Which ${n}?`, 'Copilot', '2026-11-16', 'Acme']),
];

describe('npm run job -- import', () => {
  test('skips an unknown engine and counts it; with more than 5 % skipped it writes nothing and ends with 1', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'in'));
    const run = async (unknown: number, ...more: string[]) => {
      await writeFile(join(folder, 'in/a.csv'), csv(withUnknown(unknown)));
      return await job(
        '--mapping',
        'spreadsheet',
        '--from',
        join(folder, 'in'),
        '--to',
        join(folder, `${unknown}`),
        ...more,
      );
    };
    const few = await run(1);
    expect(few).toMatchObject({ status: 0, stderr: '' });
    expect(few.stdout).toMatch(/^20 answers read, 19 kept as runs, one for each prompt, engine and week$/m);
    expect(few.stdout).toMatch(/^ {2}engine is unknown: Copilot \(1\): a\.csv row 21$/m);
    expect(few.stdout).toMatch(/^Acme +19 +19 \(100 %\) +0 +0 +0 +0 +1 +1$/m);
    expect(few.stdout).toMatch(/^Next: npm run job -- ingest --from \S+ --date 2026-11-16$/m);
    const many = await run(2);
    expect(many).toMatchObject({ status: 1, stdout: '' });
    expect(many.stderr).toBe(
      [
        'sightline: 2 of 20 answers were skipped, more than 5 %; nothing is written',
        '  engine is unknown: Copilot (2): a.csv row 20; a.csv row 21',
        "  to skip these engines on purpose: --engine 'Copilot=skip'",
        '  or map one, with an engine in place of skip: ai_mode, ai_overview, chatgpt, claude, deepseek, gemini, grok, perplexity',
        '  --allow-skipped PERCENT allows more\n',
      ].join('\n'),
    );
    const allowed = await run(2, '--allow-skipped', '10', '--json');
    expect(allowed).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(allowed.stdout)).toMatchObject({ read: 20, kept: 18 });
    const known = await run(3, '--engine', 'Copilot=chatgpt');
    expect(known).toMatchObject({ status: 0 });
  });

  test.each([
    [['--mapping', 'spreadsheet', '--to', 'x']],
    [['--mapping', 'spreadsheet', '--from', 'x']],
    [['--mapping', 'spreadsheet', '--from', 'x', '--to', 'y', '--set', 'brand']],
    [['--mapping', 'spreadsheet', '--from', 'x', '--to', 'y', '--engine', 'Copilot=bing']],
    [['--mapping', 'spreadsheet', '--from', 'x', '--to', 'y', '--cycles', 'hourly']],
    [['--mapping', 'spreadsheet', '--from', 'x', '--to', 'y', '--allow-skipped', '101']],
    [['--mapping', 'spreadsheet', '--from', 'x', '--to', 'y', '--allow-missing', '-1']],
  ])('%j is wrong usage: status 2', async (args) => {
    const ended = await job(...args);
    expect(ended).toMatchObject({ status: 2, stdout: '' });
    expect(ended.stderr).toMatch(/^error: [^\n]+\n/);
  });
});
