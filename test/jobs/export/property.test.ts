/** @module-tag long */
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportTables } from '../../../jobs/export/export.ts';
import { tableNames } from '../../../lib/tables/names.ts';
import type { Format } from '../../../jobs/export/write.ts';
import { testLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { expectedTables } from './expected.ts';
import type { Row, Tables } from './expected.ts';
import { hostileTexts, hostileWeeks } from './hostile.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import type { GivenWeek } from './published.ts';
import { csvTables, duckdbTables, parquetTables } from './tables.ts';
import { sheetTables } from './sheets.ts';

const readers: Record<Format, (folder: string) => Promise<Tables>> = {
  csv: csvTables,
  parquet: parquetTables,
  xlsx: sheetTables,
  duckdb: duckdbTables,
};

/** Publishes weeks, exports all of them in every format, and compares each table with the documents. */
async function expectTheSame(weeks: GivenWeek[], formats: readonly Format[]) {
  const folder = await temporaryFolder();
  const log = await testLog(folder);
  const expected = expectedTables(await publishWeeks(log, weeks));
  const logged = await readPublished(log);
  for (const format of formats) {
    const to = join(folder, format);
    const report = await exportTables(logged, { workspaceId, weeks: 'all', format, to });
    const tables = await readers[format](to);
    for (const table of tableNames) {
      const columns = Object.keys(tables[table][0] ?? {});
      const whole = expected[table].map((row) => ({
        ...Object.fromEntries(columns.map((column) => [column, null])),
        ...(format === 'xlsx' ? withoutEmptyTexts(row) : row),
      }));
      expect(tables[table], `${table}.${format}`).toEqual(whole);
    }
    expect(report.tables.map(({ table, rows }) => [table, rows])).toEqual(
      tableNames.map((table) => [table, expected[table].length]),
    );
  }
}

/** An empty cell is an empty cell. */
function withoutEmptyTexts(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === '' ? null : value]));
}

test('every format has the rows and the texts of the documents, whatever they contain', async () => {
  await fc.assert(
    fc.asyncProperty(
      hostileWeeks,
      async (weeks) => await expectTheSame(weeks, ['csv', 'parquet', 'xlsx', 'duckdb']),
    ),
    { numRuns: 8 },
  );
});

test('every hostile text comes through', async () => {
  const brands = hostileTexts.map((text, index) => ({
    brand: {
      id: `0b5ef0a4-3a6e-4f0f-9c57-${String(index).padStart(12, '0')}`,
      name: text,
      domain: text,
      createdAt: '2026-01-05T09:30:00.000Z',
    },
    documents: {},
  }));
  const week = { asOf: '2026-01-05T06:00:00.000Z', workspaceName: hostileTexts[0]!, brands };
  await expectTheSame([week], ['csv', 'parquet', 'xlsx', 'duckdb']);
});

test('a text that no cell of a workbook can hold comes through in the others', async () => {
  const name = 'x'.repeat(40_000);
  const brand = {
    id: '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c01',
    name,
    domain: '',
    createdAt: '2026-01-05T09:30:00.000Z',
  };
  const week = { asOf: '2026-01-05T06:00:00.000Z', workspaceName: null, brands: [{ brand, documents: {} }] };
  await expectTheSame([week], ['csv', 'parquet', 'duckdb']);
});
