import type { DocumentKind } from '../../lib/documents/kinds.ts';
import type { CellType, TableName } from '../../lib/tables/names.ts';
import type { BrandInSnapshot } from '../../lib/tables/table.ts';
import { tables as definitions } from '../../lib/tables/tables.ts';
import { appendRows, execute } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { literal } from '../literals.ts';
import { countRows } from '../relations.ts';
import { columnsOf, exportedRows, meaningOf } from './columns.ts';
import type { PublishedBrand } from './documents.ts';

/** The rows of the tables, as they are collected from batches of documents: in the database of a file. */
export interface CollectedTables {
  names: readonly TableName[];
  add(batch: readonly PublishedBrand[]): Promise<void>;
  /** What to select all rows of a table from, in the order in which they were added. */
  relationOf(table: TableName): string;
  rowsIn(table: TableName): Promise<number>;
  /** Ends the file. */
  close(): Promise<void>;
}

const DATABASE = 'collected';

const sqlTypes: Record<CellType, string> = {
  text: 'varchar',
  integer: 'bigint',
  number: 'double',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'timestamptz',
};

/** The documents that some tables are made from. */
export function documentsFor(names: readonly TableName[]): Set<DocumentKind> {
  return new Set(names.flatMap((name) => definitions[name].from));
}

/** Tables without rows, in a new file. */
export async function collectTables(
  connection: Connection,
  file: string,
  names: readonly TableName[],
): Promise<CollectedTables> {
  await execute(connection, `attach ${literal(file)} as ${DATABASE}`);
  for (const name of names) await createTable(connection, name);
  return {
    names,
    async add(batch) {
      const brands = batch.map((brand) => ({ brand, given: parsed(brand) }));
      await execute(connection, 'begin');
      for (const name of names) {
        const definition = definitions[name];
        const types = columnsOf(definition).map(({ type }) => type);
        const rows = brands.flatMap(({ brand, given }) => exportedRows(definition, brand, given));
        await appendRows(connection, { database: DATABASE, table: name }, types, rows);
      }
      await execute(connection, 'commit');
    },
    relationOf,
    rowsIn: async (name) => await countRows(connection, relationOf(name)),
    close: async () => await execute(connection, `detach ${DATABASE}`),
  };
}

function relationOf(name: TableName): string {
  return `${DATABASE}.${name}`;
}

/** With a comment on the table and on each column, for those who open the file. */
async function createTable(connection: Connection, name: TableName): Promise<void> {
  const columns = columnsOf(definitions[name]);
  const typed = columns.map((column) => `"${column.name}" ${sqlTypes[column.type]}`);
  await execute(connection, `create table ${relationOf(name)} (${typed.join(', ')})`);
  await execute(connection, `comment on table ${relationOf(name)} is ${literal(definitions[name].row)}`);
  for (const column of columns) {
    const described = `${relationOf(name)}."${column.name}"`;
    await execute(connection, `comment on column ${described} is ${literal(meaningOf(column))}`);
  }
}

function parsed({ brand, manifest, documents }: PublishedBrand): BrandInSnapshot {
  const entries = Object.entries(documents).map(([kind, text]) => [
    kind,
    (JSON.parse(text) as { data: unknown }).data,
  ]);
  return {
    brand,
    methodologyVersion: manifest.methodologyVersion,
    documents: Object.fromEntries(entries) as BrandInSnapshot['documents'],
  };
}
