/** @module-tag long */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { execute, openDatabase, rowsOf } from '../../../jobs/duckdb.ts';
import { exportTables } from '../../../jobs/export/export.ts';
import type { ExportReport } from '../../../jobs/export/export.ts';
import { tableNames } from '../../../lib/tables/names.ts';
import { formats } from '../../../jobs/export/write.ts';
import type { Format } from '../../../jobs/export/write.ts';
import { sha256OfFile } from '../../../lib/hash.ts';
import { testLog } from '../../snapshots/publish.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { documented } from '../../reference/tables.ts';
import { goldenWeeks } from './golden-weeks.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import { sheetTables } from './sheets.ts';
import { csvTables, duckdbTables, parquetTables } from './tables.ts';

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

test('Parquet files, the workbook and the DuckDB file have the same cells', async () => {
  const expected = await csvTables(golden);
  expect(await parquetTables(join(folder, 'parquet'))).toEqual(expected);
  expect(await duckdbTables(join(folder, 'duckdb'))).toEqual(expected);
  for (const { brand_domain: _, ...row } of expected.brands) expect(Object.values(row)).not.toContain('');
  for (const row of expected.brands) row['brand_domain'] ||= null; // an empty cell is an empty cell
  expect(await sheetTables(join(folder, 'xlsx'))).toEqual(expected);
});

test('datapackage.json names snapshots, tables with their columns, and the hashes of all files', async () => {
  for (const format of formats) {
    const report = reports[format]!;
    const there = join(folder, format);
    const described = JSON.parse(await readFile(join(there, 'datapackage.json'), 'utf8')) as DataPackage;
    const { tables, files, ...facts } = report;
    expect(described.sightline).toEqual(facts);
    expect((await readdir(there)).toSorted()).toEqual(
      [...files.map(({ file }) => file), 'datapackage.json'].toSorted(),
    );
    expect(described.resources.map(({ name, path, rows }) => [name, path, rows])).toEqual(
      tables.map(({ table, file, rows }) => [table, file, rows]),
    );
    for (const { name, path, bytes, hash, schema } of described.resources) {
      expect(hash).toBe(`sha256:${await sha256OfFile(join(there, path))}`);
      expect(bytes).toBe((await stat(join(there, path))).size);
      expect(schema.fields.map((field) => [field.name, field.type, field.description])).toEqual(
        [...documented('every'), ...documented(name)].map((column) => [
          column.name,
          fieldTypes[column.type],
          expect.stringContaining(column.meaning),
        ]),
      );
    }
    expect(report.snapshots.map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(tables.find(({ table }) => table === 'brands')!.rows).toBe(3);
  }
});

test('the DuckDB file has a comment on every table and column', async () => {
  const database = await openDatabase({ scratch: folder });
  const connection = await database.connect();
  await execute(connection, `attach '${join(folder, 'duckdb/sightline.duckdb')}' as exported (read_only)`);
  const without = await rowsOf(
    connection,
    "select table_name, column_name from duckdb_columns() where database_name = 'exported' and comment is null " +
      "union all select table_name, null from duckdb_tables() where database_name = 'exported' and comment is null",
  );
  database.close();
  expect(without).toEqual([]);
});

interface DataPackage {
  sightline: object;
  resources: {
    name: string;
    path: string;
    rows: number;
    bytes: number;
    hash: string;
    schema: { fields: { name: string; type: string; description: string }[] };
  }[];
}

const fieldTypes: Record<string, string> = {
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'datetime',
};

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
  'docs/columns.csv lists the columns of %s, their types, and which may be null',
  async (table) => {
    const listed = [...documented('every'), ...documented(table)];
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
