import type { Brands } from '../documents/brands.ts';
import type { DocumentKind } from '../documents/kinds.ts';
import type { Documents } from '../documents/schemas.ts';
import type { Cell, CellType, TableName } from './names.ts';

/** A brand in a snapshot, from which its rows of every table are made. */
export interface BrandInSnapshot {
  brand: Brands[number];
  methodologyVersion: string;
  /** The `data` of its documents. Snapshots of older versions lack some. */
  documents: { readonly [Kind in DocumentKind]?: Documents[Kind] | undefined };
}

export interface Column {
  name: string;
  type: CellType;
  /** What it says, in words. */
  meaning: string;
  /** When it is null; undefined if it never is. */
  missing: string | undefined;
}

/** The one definition of a table, for its document, its description and the export. */
export interface Table {
  name: TableName;
  /** What one row is. */
  row: string;
  /** The documents that its rows are made from. */
  from: readonly DocumentKind[];
  columns: readonly Column[];
  /** The rows of a brand: one cell for each column, taken over from the documents and never computed again. */
  rowsOf: (given: BrandInSnapshot) => Cell[][];
}

/** Name, type, meaning, how to get the cell, and when it is null. */
type ColumnOf<Row> = readonly [
  name: string,
  type: CellType,
  meaning: string,
  cellOf: (row: Row, given: BrandInSnapshot) => Cell | undefined,
  missing?: string,
];

/** The first columns of every table. */
const ofBrand: readonly ColumnOf<unknown>[] = [
  ['brand_id', 'text', 'UUID', (_, { brand }) => brand.id],
  ['brand_name', 'text', 'as tracked for that snapshot', (_, { brand }) => brand.name],
];

export function defineTable<Row>({
  columns,
  rowsOf,
  ...rest
}: {
  name: TableName;
  row: string;
  from: readonly DocumentKind[];
  rowsOf: (given: BrandInSnapshot) => readonly Row[];
  columns: readonly ColumnOf<Row>[];
}): Table {
  const all: readonly ColumnOf<Row>[] = [...ofBrand, ...columns];
  return {
    ...rest,
    columns: all.map(([name, type, meaning, , missing]) => ({ name, type, meaning, missing })),
    rowsOf: (given) => rowsOf(given).map((row) => all.map(([, , , cellOf]) => cellOf(row, given) ?? null)),
  };
}

/** Several texts in one cell; null if there are none. */
export function joined(texts: readonly (string | null)[] = [], separator: string): string | null {
  return texts.filter((text) => text !== null).join(separator) || null;
}
