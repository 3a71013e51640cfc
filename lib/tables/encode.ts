import type { TableDocument } from '../documents/table.ts';
import type { ApiTable } from './names.ts';
import type { BrandInSnapshot } from './table.ts';
import { tables } from './tables.ts';

/** The `data` of a table of a workspace without a snapshot. */
export function emptyTable(name: ApiTable): TableDocument {
  return {
    columns: tables[name].columns.map(({ name: column, type }) => ({ name: column, type })),
    rows: [],
  };
}

/**
 * The rows of a brand as JSON, each after a comma, for {@link encodeTable}. So a table of any number of brands takes the
 * memory of its bytes.
 */
export function encodeRows(name: ApiTable, given: BrandInSnapshot): Buffer {
  const rows = tables[name].rowsOf(given).map((row) => `,${JSON.stringify(row)}`);
  return Buffer.from(rows.join(''));
}

/**
 * A whole document, in the canonical form of `encodeDocument`. A test compares it with the schema.
 * @param rows of every brand, in the order of the list of brands
 */
export function encodeTable(name: ApiTable, rows: readonly Buffer[]): Buffer {
  const [head, tail] = JSON.stringify({ data: emptyTable(name) }).split(/(?=\]\}\}$)/) as [string, string];
  const first = rows.findIndex(({ length }) => length > 0);
  const listed = rows.map((ofBrand, index) => (index === first ? ofBrand.subarray(1) : ofBrand));
  return Buffer.concat([Buffer.from(head), ...listed, Buffer.from(`${tail}\n`)]);
}
