/** @module-tag slow */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { execute, openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import { exportTables } from '../../../jobs/export/export.ts';
import type { ExportReport } from '../../../jobs/export/export.ts';
import { WORKBOOK, formats } from '../../../jobs/export/write.ts';
import type { Format } from '../../../jobs/export/write.ts';
import { sha256OfFile } from '../../../lib/hash.ts';
import { tableNames } from '../../../lib/tables/names.ts';
import { VERSION } from '../../../lib/version.ts';
import { documented } from '../../reference/tables.ts';
import type { Row, Value } from '../../reference/tables.ts';
import { testLog } from '../../snapshots/publish.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import type { GivenWeek } from './published.ts';
import { asDocument, sheetTables } from './sheets.ts';
import type { Tables } from './sheets.ts';
import hostileTexts from './golden/texts/texts.json' with { type: 'json' };

/** The last is as long as a cell can be. */
const texts = [...hostileTexts, 'x'.repeat(32_767)];

const golden = join(import.meta.dirname, 'golden');
const newFolder = temporaryFolders();

type Reports = Partial<Record<Format, ExportReport>>;

/** Exports weeks in all formats, into a folder of each. */
async function exported(weeks: readonly GivenWeek[], folder: string): Promise<Reports> {
  const log = await testLog(folder);
  await publishWeeks(log, weeks);
  const logged = await readPublished(log);
  const reports: Reports = {};
  for (const format of formats) {
    const to = join(folder, format);
    reports[format] = await exportTables(logged, { workspaceId, weeks: 'all', format, to });
  }
  return reports;
}

let folder: string;
let reports: Reports;
beforeAll(async () => {
  folder = await newFolder();
  reports = await exported(goldenWeeks, folder);
});

const columnsOf = (table: string) => [...documented('every'), ...documented(table)];

/** The types of DuckDB for those of docs/columns.csv. */
const types: Record<string, string> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
};

/** What DuckDB reads from an export; the apostrophe in front of a text in a CSV file is not part of it. */
async function tablesIn(exportFolder: string, format: 'csv' | 'parquet' | 'duckdb'): Promise<Tables> {
  using database = await openDatabase({ scratch: folder });
  const connection = await database.connect();
  const attach = `attach '${join(exportFolder, 'sightline.duckdb')}' as exported (read_only)`;
  if (format === 'duckdb') await execute(connection, attach);
  const relationOf = (table: string) => {
    const columns = columnsOf(table).map(({ name, type }) => `${name}: '${types[type]}'`);
    const options = `header = true, quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false`;
    const file = join(exportFolder, `${table}.${format}`);
    if (format === 'csv') return `read_csv('${file}', ${options}, columns = {${columns.join(', ')}})`;
    return format === 'parquet' ? `read_parquet('${file}')` : `exported.${table}`;
  };
  const valueOf = (name: string, value: unknown): Value => {
    if (typeof value === 'bigint') return Number(value);
    if (value instanceof Date) return asDocument(name, value);
    return format === 'csv' && typeof value === 'string' ? value.replace(/^'/, '') : (value as Value);
  };
  const tables: Partial<Tables> = {};
  for (const table of tableNames)
    tables[table] = (await rowsOf<Row>(connection, `from ${relationOf(table)}`)).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, valueOf(name, value)])),
    );
  return tables as Tables;
}

test.each(tableNames)('%s.csv is the golden file, to the byte', async (table) => {
  const text = await readFile(join(folder, 'csv', `${table}.csv`), 'utf8');
  await expect(text).toMatchFileSnapshot(join(golden, `${table}.csv`));
});

test('Parquet files, the workbook and the DuckDB file have the same cells', async () => {
  const expected = await tablesIn(golden, 'csv');
  expect(await tablesIn(join(folder, 'parquet'), 'parquet')).toEqual(expected);
  expect(await tablesIn(join(folder, 'duckdb'), 'duckdb')).toEqual(expected);
  for (const { brand_domain: _, ...row } of expected.brands) expect(Object.values(row)).not.toContain('');
  for (const row of expected.brands) row['brand_domain'] ||= null; // an empty cell is an empty cell
  expect(await sheetTables(join(folder, 'xlsx'))).toEqual(expected);
});

test('datapackage.json describes the snapshots, the tables and their columns, and has the hashes of all files', async () => {
  const text = await readFile(join(folder, 'csv/datapackage.json'), 'utf8');
  await expect(text.replaceAll(VERSION, 'VERSION')).toMatchFileSnapshot(join(golden, 'datapackage.json'));
  for (const format of formats) {
    const there = join(folder, format);
    const described = await readFile(join(there, 'datapackage.json'), 'utf8');
    const { resources, sightline } = JSON.parse(described) as { resources: object[]; sightline: object };
    const { tables, files, ...facts } = reports[format]!;
    expect(sightline).toEqual(facts);
    const names = files.map(({ file }) => file);
    expect((await readdir(there)).toSorted()).toEqual([...names, 'datapackage.json'].toSorted());
    for (const [index, { file, rows }] of tables.entries()) {
      const bytes = (await stat(join(there, file))).size;
      const hash = `sha256:${await sha256OfFile(join(there, file))}`;
      expect(resources[index]).toMatchObject({ path: file, rows, bytes, hash });
    }
  }
});

test('the DuckDB file has the columns of docs/columns.csv, each with a comment, and nulls only where it says so', async () => {
  using database = await openDatabase({ scratch: folder });
  const connection = await database.connect();
  await execute(connection, `attach '${join(folder, 'duckdb/sightline.duckdb')}' as exported (read_only)`);
  for (const table of tableNames) {
    const columns = await rowsOf<object>(
      connection,
      `select column_name as name, data_type as type, comment is not null as has_comment
       from duckdb_columns() where database_name = 'exported' and table_name = '${table}' order by column_index`,
    );
    expect(columns).toEqual(
      columnsOf(table).map(({ name, type }) => ({ name, type: types[type], has_comment: true })),
    );
    const needed = columnsOf(table).filter(({ isNullable }) => !isNullable);
    const isMissing = needed.map(({ name }) => `${name} is null`).join(' or ');
    expect(await rowsOf(connection, `from exported.${table} where ${isMissing}`)).toEqual([]);
  }
  const tables = "from duckdb_tables() where database_name = 'exported' and comment is null";
  expect(await rowsOf(connection, tables)).toEqual([]);
});

/** The text of a file in a workbook, without a check of the archive. */
async function partOf(path: string): Promise<string> {
  const bytes = await readFile(join(folder, 'xlsx', WORKBOOK));
  // A local file header has 30 bytes, the path, and extra fields; the size of these is in its last two bytes.
  const start = bytes.indexOf(Buffer.from(path)) - 30;
  const data = start + 30 + path.length + bytes.readUInt16LE(start + 28);
  return inflateRawSync(bytes.subarray(data)).toString();
}

test.each([
  [
    'a sheet has filters on all columns, wide texts, and the ids last',
    'worksheets/sheet5.xml',
    'results.xml',
  ],
  ['a workbook lists its sheets', 'workbook.xml', 'workbook.xml'],
  ['a workbook says where its sheets are', '_rels/workbook.xml.rels', 'workbook.xml.rels'],
  ['a workbook has formats for texts, dates and instants, and heads in bold', 'styles.xml', 'styles.xml'],
])('%s', async (_, part, file) => {
  await expect(await partOf(`xl/${part}`)).toMatchFileSnapshot(join(golden, file));
});

test(
  'every text comes through in every format, and no spreadsheet would run it',
  { tags: ['long'] },
  async () => {
    const brands = texts.map((name, index) => ({
      brand: {
        id: `0b5ef0a4-3a6e-4f0f-9c57-${String(index).padStart(12, '0')}`,
        name,
        domain: name,
        createdAt: '2026-01-05T09:30:00Z',
      },
      documents: {},
    }));
    const place = await temporaryFolder();
    await exported([{ asOf: '2026-01-05T06:00:00.000Z', workspaceName: texts[0]!, brands }], place);
    for (const tables of [
      await tablesIn(join(place, 'parquet'), 'parquet'),
      await tablesIn(join(place, 'duckdb'), 'duckdb'),
      await sheetTables(join(place, 'xlsx')),
    ])
      expect(tables.brands).toMatchObject(
        texts.map((text) => ({
          workspace_name: texts[0],
          brand_name: text,
          brand_domain: text,
        })),
      );
    const csv = await readFile(join(place, 'csv/brands.csv'), 'utf8');
    expect(csv).not.toMatch(/(?:^|[,\n])"(?:[\t\r\n]|[\s\ufeff]*[=+\-@＝＋－＠])/);
    const names = [...csv.matchAll(/"'?((?:[^"]|"")*)","'?(?:[^"]|"")*",2026-01-05T09:30/g)];
    expect(names.map(([, name]) => name!.replaceAll('""', '"'))).toEqual(texts);
  },
);
