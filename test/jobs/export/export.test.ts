/** @module-tag slow */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exportTables } from '../../../jobs/export/export.ts';
import type { ExportOptions } from '../../../jobs/export/export.ts';
import { writeWorkbook } from '../../../jobs/export/workbook.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import { sheetTables } from './sheets.ts';

const week = goldenWeeks[0]!;
const long = { tags: ['long'] };

let to: string;
let log: TestLog;
beforeEach(async () => {
  const root = await temporaryFolder();
  to = join(root, 'deep/export');
  log = await testLog(root);
});

const exported = async (given: Partial<ExportOptions>) =>
  await exportTables(await readPublished(log), { workspaceId, weeks: 'all', format: 'xlsx', to, ...given });

test(
  'a workbook leaves out the names of stability if they are more than the rows of a sheet, and refuses any other table',
  long,
  async () => {
    await publishWeeks(log, goldenWeeks);
    const { tables } = await exported({});
    const names = tables.find(({ table }) => table === 'stability_names')!.rows;
    const smaller = tables.filter(({ rows }) => rows < names).map(({ table }) => table);
    const wanted: Partial<ExportOptions> = { tables: [...smaller, 'stability_names'] };
    expect(await exported({ ...wanted, mostRows: names })).toMatchObject({ leftOut: [] });
    expect(await exported({ ...wanted, mostRows: names - 1 })).toMatchObject({
      leftOut: ['stability_names'],
    });
    expect(Object.keys(await sheetTables(to))).toEqual(smaller);
    await expect(exported({ mostRows: 1 })).rejects.toThrow(
      /^the table brands has \d+ rows, more than the 1 of a sheet; export fewer weeks, /,
    );
  },
);

test('of documents that are together more than a batch, every row is there', long, async () => {
  const createdAt = '2026-01-05T09:30:00.000Z';
  const brands = Array.from({ length: 5 }, (_, number) => {
    const id = `0000000${number}-0000-4000-8000-000000000000`;
    const prompt = { id, text: 'x'.repeat(1000), isActive: true, createdAt, namesBrand: false, tags: [] };
    const prompts = Array.from({ length: 2000 }, () => prompt);
    return {
      brand: { id, name: `Brand ${number}`, domain: '', createdAt },
      documents: { prompts: { prompts } },
    };
  });
  await publishWeeks(log, [{ ...week, asOf: '2026-12-01T06:00:00.000Z', brands }]);
  const progress: number[] = [];
  const note = (documents: number) => progress.push(documents);
  const wanted: Partial<ExportOptions> = { format: 'csv', tables: ['brands', 'prompts'] };
  const { tables } = await exported({ ...wanted, onStart: note, onDocuments: note });
  expect(tables).toMatchObject([
    { table: 'brands', rows: 5 },
    { table: 'prompts', rows: 10_000 },
  ]);
  // 5 brands with 4 documents each would be 20; there is one of each, of 2 MB.
  expect(progress).toEqual([20, 4, 1]);
});

test('a workbook that cannot be written fails only after its rows have ended', async () => {
  let isOpen = false;
  async function* rows() {
    isOpen = true;
    try {
      for (;;) yield [{ n: await new Promise<number>((resolve) => setImmediate(resolve, 1)) }];
    } finally {
      await new Promise(setImmediate);
      isOpen = false;
    }
  }
  const sheet = { name: 'endless', columns: [{ name: 'n', style: 'plain' } as const], rows };
  await expect(writeWorkbook('/dev/full', [sheet])).rejects.toThrow('ENOSPC');
  expect(isOpen).toBe(false);
});

test('a workbook refuses a text that no cell can hold, and leaves nothing; a CSV file has it, and replaces no file that came meanwhile', async () => {
  const named = { ...week.brands[0]!.brand, name: 'x'.repeat(32_768) };
  await publishWeeks(log, [{ ...week, brands: [{ brand: named, documents: {} }] }]);
  await expect(exported({})).rejects.toThrow(
    /has a text of 32768 characters in brand_name, more than the 32767 of a cell; /,
  );
  expect(existsSync(dirname(to))).toBe(false);
  await exported({ format: 'csv' });
  const meanwhile = () => writeFileSync(join(to, 'notes.txt'), 'mine');
  await expect(exported({ format: 'csv', onStart: meanwhile })).rejects.toThrow(/ contains notes\.txt, /);
  expect(existsSync(join(to, 'notes.txt'))).toBe(true);
});
