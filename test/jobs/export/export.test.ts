/** @module-tag long */
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { exportTables } from '../../../jobs/export/export.ts';
import type { ExportOptions } from '../../../jobs/export/export.ts';
import { documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import type { PublishedWeek } from './published.ts';
import { partOf, sheetTables } from './sheets.ts';
import { rowsOfCsv } from './tables.ts';

let root: string;
let to: string;
let log: TestLog;
let weeks: PublishedWeek[];

beforeEach(async () => {
  root = await temporaryFolder();
  to = join(root, 'deep/export');
  log = await testLog(root);
  const [first, second] = goldenWeeks;
  const again = { ...second!, asOf: '2026-11-17T06:00:00.000Z', workspaceName: 'Renamed' };
  weeks = await publishWeeks(log, [first!, second!, again]);
});

const run = async (given: Partial<ExportOptions> = {}) =>
  await exportTables(await readPublished(log), { workspaceId, weeks: 'all', format: 'csv', to, ...given });
const rows = async (table: string) => rowsOfCsv(await readFile(join(to, `${table}.csv`), 'utf8'));
const sequences = async () => [...new Set((await rows('brands')).map(({ sequence }) => sequence))];

/** An export that fails leaves nothing: neither the folder nor its parents. */
async function expectNothingAfter(message: RegExp, given: Partial<ExportOptions> = {}) {
  const before = await readdir(root);
  await expect(run(given)).rejects.toMatchObject({
    name: 'Failure',
    message: expect.stringMatching(message),
  });
  expect(await readdir(root)).toEqual(before);
}

const fileOf = (week: PublishedWeek, path: string) =>
  join(root, 'store', snapshotPrefix(workspaceId, week.snapshotId), path);

describe('weeks', () => {
  test('the newest alone by default of the command, all, or as many as there are', async () => {
    await run({ weeks: 1 });
    expect(await sequences()).toEqual([3]);
    await run({ weeks: 'all' });
    expect(await sequences()).toEqual([1, 3]); // of the second week the last snapshot
    await run({ weeks: 99 });
    expect(await sequences()).toEqual([1, 3]);
  });

  test.each(['pruned', 'lost'] as const)('a %s week is left out and named', async (reason) => {
    const { snapshotId } = weeks[0]!;
    await commitToLog(
      log,
      async () => await Promise.resolve({ drafts: [{ kind: 'withdrawn', workspaceId, snapshotId, reason }] }),
    );
    expect(await run()).toMatchObject({ pruned: [], lost: [], [reason]: [snapshotId] });
    expect(await sequences()).toEqual([3]);
    expect(await run({ weeks: 1 })).toMatchObject({ pruned: [], lost: [] });
  });
});

test('a workbook has filters on all columns, wide texts, and the ids last', async () => {
  await run({ format: 'xlsx' });
  const sheet = await partOf(to, 'xl/worksheets/sheet14.xml'); // prompts, with its head in row 1
  const [, head] = /<row r="1">(.+?)<\/row>/.exec(sheet)!;
  const names = [...head!.matchAll(/<t [^>]+>(\w+)</g)].map(([, name]) => name!);
  const widths = [...sheet.matchAll(/<col [^>]*width="(\d+)"/g)].map(([, width]) => Number(width));
  expect(names.slice(-4)).toEqual(['workspace_id', 'snapshot_id', 'brand_id', 'prompt_id']);
  expect(names.slice(0, -4).filter((name) => name.endsWith('_id'))).toEqual([]);
  expect(widths).toHaveLength(names.length);
  expect(widths[names.indexOf('prompt_text')]).toBe(60);
  const last = sheet.match(/<row /g)!.length;
  const column = String.fromCharCode(64 + names.length);
  expect(sheet).toContain(`<autoFilter ref="A1:${column}${last}"/>`);
});

describe('only what is verified', () => {
  const brand = goldenWeeks[0]!.brands[0]!.brand.id;

  test('a document that was changed stops it', async () => {
    const file = fileOf(weeks[0]!, documentPath(brand, 'competitors'));
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"mentions":\d/, '"mentions":9'));
    await expectNothingAfter(/competitors\.json does not have the bytes that its manifest names$/);
  });

  test('a workspace without a snapshot is a clear line', async () => {
    await expectNothingAfter(/has no snapshot of workspace/, {
      workspaceId: '00000000-0000-4000-8000-000000000000',
    });
  });
});

describe('the folder', () => {
  test('an earlier export in it is replaced, whole', async () => {
    await run({ format: 'parquet' });
    await run({ format: 'csv' });
    expect((await readdir(to)).filter((name) => name.endsWith('parquet'))).toEqual([]);
    expect(await readdir(join(root, 'deep'))).toEqual(['export']);
  });

  test('anything else in it is not touched', async () => {
    await mkdir(to, { recursive: true });
    await writeFile(join(to, 'notes.txt'), 'mine');
    await expect(run()).rejects.toThrow(
      /is not empty, and contains no earlier export; choose another folder$/,
    );
    expect(await readdir(to)).toEqual(['notes.txt']);
  });

  test('an earlier export that was changed, or that something was added to, is not touched', async () => {
    await run();
    await writeFile(join(to, 'notes.txt'), 'mine');
    await expect(run()).rejects.toThrow(/contains notes\.txt, which is not part of the earlier export/);
    await rm(join(to, 'notes.txt'));
    await writeFile(join(to, 'sources.csv'), 'mine');
    await expect(run()).rejects.toThrow(
      /sources\.csv was changed since it was exported; choose another folder$/,
    );
    expect(await readFile(join(to, 'sources.csv'), 'utf8')).toBe('mine');
  });
});

describe('a workbook', () => {
  test('leaves out the names of stability if they are more than the rows of a sheet, and says so', async () => {
    const { tables } = await run({ format: 'xlsx' });
    const names = tables.find(({ table }) => table === 'stability_names')!.rows;
    const smaller = tables.filter(({ rows: count }) => count < names).map(({ table }) => table);
    const wanted = { format: 'xlsx', tables: [...smaller, 'stability_names'] } as const;
    expect(await run({ ...wanted, mostRows: names })).toMatchObject({ leftOut: [] });
    expect(await run({ ...wanted, mostRows: names - 1 })).toMatchObject({ leftOut: ['stability_names'] });
    expect(Object.keys(await sheetTables(to))).toEqual(smaller);
  });

  test('refuses any other table that is too long', async () => {
    await expectNothingAfter(
      /^the table brands has \d+ rows, more than the 1 of a sheet; export fewer weeks, /,
      {
        format: 'xlsx',
        mostRows: 1,
      },
    );
  });

  test('refuses a text that no cell can hold', async () => {
    const [week] = goldenWeeks;
    const long = { ...week!.brands[0]!.brand, name: 'x'.repeat(32_768) };
    const brands = [{ ...week!.brands[0]!, brand: long }];
    await publishWeeks(log, [{ ...week!, asOf: '2026-12-01T06:00:00.000Z', brands }]);
    await expectNothingAfter(/has a text of 32768 characters in brand_name, more than the 32767 of a cell/, {
      format: 'xlsx',
    });
  });
});
