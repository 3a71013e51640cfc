import { describe, expect, test } from 'vitest';
import { complaintsAbout, encodeDocument } from '../../../lib/documents/encode.ts';
import type { TableDocument } from '../../../lib/documents/table.ts';
import { emptyTable, encodeRows, encodeTable } from '../../../lib/tables/encode.ts';
import { apiTables, tableNames } from '../../../lib/tables/names.ts';
import { tables } from '../../../lib/tables/tables.ts';
import { goldenCases, readExpected } from '../../golden/expected.ts';
import { documented, documentedTables, tablesOf } from '../../reference/tables.ts';
import type { GivenBrand } from '../../reference/tables.ts';

const methodologyVersion = '1.0';

/** The brands of a golden case, those of all workspaces together. */
const brandsIn = (name: (typeof goldenCases)[number]): GivenBrand[] => {
  const { brandLists, brands } = readExpected(name);
  const listed = new Map([...brandLists.values()].flat().map((brand) => [brand.id, brand]));
  return brands.map(({ brandId, documents }) => ({
    brand: listed.get(brandId)!,
    methodologyVersion,
    documents: documents as GivenBrand['documents'],
  }));
};
const given = (brand: GivenBrand) => brand as Parameters<typeof encodeRows>[1];

describe.each(goldenCases)('the tables of the golden case %s', (name) => {
  const brands = brandsIn(name);
  const expected = tablesOf(brands);

  test.each(apiTables)('%s is valid, in canonical form, and has the values of the documents', (table) => {
    const bytes = encodeTable(
      table,
      brands.map((brand) => encodeRows(table, given(brand))),
    );
    const { data } = JSON.parse(bytes.toString()) as { data: TableDocument };
    expect(complaintsAbout('table', data)).toEqual([]);
    expect(encodeDocument('table', data)).toEqual(bytes);
    expect(data).toEqual(expected[table]);
  });
});

test('a table without rows is valid, and so is one of brands without rows', () => {
  for (const table of apiTables) {
    expect(complaintsAbout('table', emptyTable(table))).toEqual([]);
    const none = Buffer.alloc(0);
    for (const rows of [[], [none, none]])
      expect(encodeTable(table, rows)).toEqual(encodeDocument('table', emptyTable(table)));
  }
});

test('docs/columns.csv lists every table with its columns, their types, when they are null, and their meaning', () => {
  expect(documentedTables.toSorted()).toEqual([...tableNames].toSorted());
  for (const name of tableNames) {
    const ofDocuments = documented(name).filter((column) => column.name !== 'published_at');
    const [id, brand, ...columns] = tables[name].columns;
    expect([id!.name, brand!.name]).toEqual(['brand_id', 'brand_name']);
    expect(ofDocuments).toEqual(
      columns.map(({ missing, ...column }) => ({ ...column, isNullable: missing !== undefined })),
    );
  }
});

test.each([
  ['a row with a cell too few', { columns: [{ name: 'a', type: 'text' }], rows: [[]] }, 'rows[0]'],
  ['a text in a number', { columns: [{ name: 'a', type: 'integer' }], rows: [['1']] }, 'rows[0][0]'],
  [
    'a fraction in an integer',
    { columns: [{ name: 'a', type: 'integer' }], rows: [[1], [0.5]] },
    'rows[1][0]',
  ],
  [
    'a day that does not exist',
    { columns: [{ name: 'a', type: 'date' }], rows: [['2026-02-30']] },
    'rows[0][0]',
  ],
])('%s is refused', (_, data, place) => {
  expect(complaintsAbout('table', data)).toEqual([
    expect.stringMatching(new RegExp(`^${RegExp.escape(place)}: `)),
  ]);
});
