/** @module-tag long */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportTables } from '../../../jobs/export/export.ts';
import type { Format } from '../../../jobs/export/write.ts';
import { testLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { publishWeeks, readPublished, workspaceId } from './published.ts';
import { sheetTables } from './sheets.ts';
import { csvTables, duckdbTables, parquetTables } from './tables.ts';
import type { Tables } from './tables.ts';

const readers: Record<Format, (folder: string) => Promise<Tables>> = {
  csv: csvTables,
  parquet: parquetTables,
  xlsx: sheetTables,
  duckdb: duckdbTables,
};

/** Texts that other programs take for something else. */
const hostileTexts = [
  '=1+1',
  '=HYPERLINK("http://evil.example";"x")',
  '+1',
  '-2+3',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u00a0=1',
  '\ufeff=1',
  '＝1',
  "'=1",
  "''",
  "'tis",
  '"quoted"',
  'a,b;c',
  'line\nbreak',
  'all\r\nkinds\rof\n',
  '007',
  '1e5',
  '12.50',
  'true',
  '2026-01-05',
  'NULL',
  ' blanks ',
  'é e\u0301',
  '😀 مرحبا \u202eabc',
  'tab\tbed',
  '\u0000\u0001\u001f',
  '_x000D_ _x005F_',
  '<b>&amp;</b>',
  ']]>',
  '\ufffe\uffff',
  '{"data":null}',
];

/** Exports a workspace with brands of these names in a format; the names that its table of brands has. */
async function exportedNames(names: readonly string[], formats: readonly Format[]) {
  const brands = names.map((name, index) => ({
    brand: {
      id: `0b5ef0a4-3a6e-4f0f-9c57-${String(index).padStart(12, '0')}`,
      name,
      domain: name,
      createdAt: '2026-01-05T09:30:00Z',
    },
    documents: {},
  }));
  const folder = await temporaryFolder();
  const log = await testLog(folder);
  await publishWeeks(log, [{ asOf: '2026-01-05T06:00:00.000Z', workspaceName: names[0]!, brands }]);
  const logged = await readPublished(log);
  const exported: string[][] = [];
  for (const format of formats) {
    const to = join(folder, format);
    await exportTables(logged, { workspaceId, weeks: 'all', format, to });
    const rows = (await readers[format](to)).brands;
    for (const row of rows) expect(row).toMatchObject({ workspace_name: names[0] });
    exported.push(
      rows.map(({ brand_name: name, brand_domain: domain }) => {
        expect(domain).toBe(name);
        return String(name);
      }),
    );
  }
  return exported;
}

test('every text comes through in every format, and no spreadsheet would run it', async () => {
  const formats = ['csv', 'parquet', 'xlsx', 'duckdb'] as const;
  expect(await exportedNames(hostileTexts, formats)).toEqual(formats.map(() => hostileTexts));
});

test('a text that no cell of a workbook can hold comes through in the others', async () => {
  const name = 'x'.repeat(40_000);
  expect(await exportedNames([name], ['csv', 'parquet', 'duckdb'])).toEqual([[name], [name], [name]]);
});
