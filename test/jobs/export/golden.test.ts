/** @module-tag long */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import { exportTables } from '../../../jobs/export/export.ts';
import type { ExportReport } from '../../../jobs/export/export.ts';
import { tableNames } from '../../../jobs/export/tables.ts';
import { formats } from '../../../jobs/export/write.ts';
import type { Format } from '../../../jobs/export/write.ts';
import { sha256OfFile } from '../../../lib/hash.ts';
import { testLog } from '../../snapshots/publish.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { pageText } from '../../docs/pages.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import { sheetTables } from './sheets.ts';
import { csvTables, parquetTables } from './tables.ts';

const newFolder = temporaryFolders();

const golden = join(import.meta.dirname, 'golden');

let folder: string;
const reports: Partial<Record<Format, ExportReport>> = {};
beforeAll(async () => {
  folder = await newFolder();
  const log = await testLog(folder);
  await publishWeeks(log, goldenWeeks);
  const logged = await readPublished(log);
  for (const format of formats) {
    const to = join(folder, format);
    reports[format] = await exportTables(logged, { workspaceId, weeks: 'all', format, to });
  }
});

test.each(tableNames)('%s.csv is the golden file, to the byte', async (table) => {
  const text = await readFile(join(folder, 'csv', `${table}.csv`), 'utf8');
  await expect(text).toMatchFileSnapshot(join(golden, `${table}.csv`));
});

test('Parquet files and the workbook have the same cells', async () => {
  const expected = await csvTables(golden);
  expect(await parquetTables(join(folder, 'parquet'))).toEqual(expected);
  for (const { brand_domain: _, ...row } of expected.brands) expect(Object.values(row)).not.toContain('');
  for (const row of expected.brands) row['brand_domain'] ||= null; // an empty cell is an empty cell
  expect(await sheetTables(join(folder, 'xlsx'))).toEqual(expected);
});

test('export.json names snapshots, tables, and the hashes of all files', async () => {
  for (const format of formats) {
    const report = reports[format]!;
    const there = join(folder, format);
    expect(JSON.parse(await readFile(join(there, 'export.json'), 'utf8'))).toEqual(report);
    const files = report.files.map(({ file }) => file);
    expect((await readdir(there)).toSorted()).toEqual([...files, 'export.json'].toSorted());
    for (const { file, sha256 } of report.files) expect(await sha256OfFile(join(there, file))).toBe(sha256);
    expect(report.snapshots.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(report.tables.find(({ table }) => table === 'brands')!.rows).toBe(3);
  }
});

interface Column {
  name: string;
  type: string;
  isNullable: boolean;
}

/** The columns that docs/exporting.md lists under a mark. */
function documented(mark: string): Column[] {
  const [, table] = pageText('docs/exporting.md').split(`<!-- columns: ${mark} -->\n\n`);
  const rows = /^(?:\|.*\n)+/.exec(table!)![0].trim().split('\n').slice(2);
  return rows.map((row) => {
    const [, name, type, isNull] = row.split('|').map((cell) => cell.trim());
    return { name: name!.replaceAll('`', ''), type: type!, isNullable: isNull !== '' };
  });
}

const documentedTypes: Record<string, string> = {
  VARCHAR: 'text',
  INTEGER: 'integer',
  BIGINT: 'integer',
  DOUBLE: 'number',
  BOOLEAN: 'boolean',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
};

test.each(tableNames)(
  'docs/exporting.md lists the columns of %s, their types, and which may be null',
  async (table) => {
    const listed = [...documented('key'), ...documented(table)];
    const database = await openDatabase({ scratch: folder });
    const connection = await database.connect();
    const from = `read_parquet('${join(folder, 'parquet', `${table}.parquet`)}')`;
    const columns = await rowsOf<{ name: string; type: string }>(
      connection,
      `select column_name as name, column_type as type from (describe from ${from})`,
    );
    const nulls = await rowsOf<Record<string, bigint>>(
      connection,
      `select count(*) - count(columns(*)) from ${from}`,
    );
    database.close();
    expect(columns.map(({ name, type }) => [name, documentedTypes[type]])).toEqual(
      listed.map(({ name, type }) => [name, type]),
    );
    const counts = Object.values(nulls[0]!);
    const withNulls = listed.filter((_, index) => counts[index]! > 0n);
    expect(withNulls.filter(({ isNullable }) => !isNullable)).toEqual([]);
  },
);
