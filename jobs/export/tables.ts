import { mkdir } from 'node:fs/promises';
import { documentKinds } from '../../lib/documents/kinds.ts';
import type { DocumentKind } from '../../lib/documents/kinds.ts';
import { execute, rowsOf } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { parquetFiles } from '../literals.ts';
import { copyRows, countRows, makeTableOf, sqlNextTo } from '../relations.ts';
import { documentType } from './document-type.ts';
import type { PublishedBrand } from './documents.ts';

/** In the order of the sheets. `tables/` has the select of each, with `-` for `_`. */
export const tableNames = [
  'brands',
  'visibility',
  'trend',
  'events',
  'results',
  'stability',
  'stability_names',
  'share_of_voice',
  'sources',
  'prompts',
  'silent',
  'share_of_voice_by_engine',
  'own_site',
  'timeline',
] as const;
export type TableName = (typeof tableNames)[number];

/** The rows of every table, as they are collected from batches of documents: Parquet files in a scratch folder. */
export interface CollectedTables {
  add(batch: readonly PublishedBrand[]): Promise<void>;
  /** What to select all rows of a table from, in the order in which they were added. */
  relationOf(table: TableName): string;
  /** In order, with DuckDB's types. */
  columnsOf(table: TableName): Promise<{ name: string; type: string }[]>;
  rowsIn(table: TableName): Promise<number>;
}

/** Tables without rows, in `folder`. */
export async function collectTables(connection: Connection, folder: string): Promise<CollectedTables> {
  const selects = new Map<TableName, string>();
  for (const table of tableNames) {
    await mkdir(`${folder}/${table}`, { recursive: true });
    selects.set(table, await sqlNextTo(import.meta, `tables/${table.replaceAll('_', '-')}`));
  }
  const published = await sqlNextTo(import.meta, 'published');
  const types = ofDocuments((kind) => JSON.stringify(`STRUCT("data" ${documentType(kind)})`));
  // Each file is read once: the cache would only fill the memory.
  await execute(connection, 'set enable_external_file_cache = false');
  const files: number[] = [];
  const fileOf = (table: TableName, part: number) => `${folder}/${table}/${part}.parquet`;
  const relationOf = (table: TableName) => parquetFiles(files.map((part) => fileOf(table, part)));
  const add = async (batch: readonly PublishedBrand[]) => {
    await makeTableOf(connection, 'batch', batchColumns, batch.map(batchRow));
    await execute(connection, published, types);
    for (const [table, select] of selects)
      await copyRows(connection, select, fileOf(table, files.length), 'format parquet');
    files.push(files.length);
  };
  await add([]); // a table without a row has its columns
  return {
    add,
    relationOf,
    async columnsOf(table) {
      const sql = `select column_name as name, column_type as type from (describe from ${relationOf(table)})`;
      return await rowsOf(connection, sql);
    },
    rowsIn: async (table) => await countRows(connection, relationOf(table)),
  };
}

const ofDocuments = <T>(valueOf: (kind: DocumentKind) => T) =>
  Object.fromEntries(documentKinds.map((kind) => [kind, valueOf(kind)])) as Record<DocumentKind, T>;

const batchColumns = {
  workspace_id: 'varchar',
  workspace_name: 'varchar',
  snapshot_id: 'varchar',
  sequence: 'integer',
  as_of: 'varchar',
  published_at: 'varchar',
  methodology_version: 'varchar',
  place: 'integer',
  brand: 'varchar',
  ...ofDocuments(() => 'varchar' as const),
} as const;

/** With `{}` for a document that the snapshot lacks. */
function batchRow({ manifest, publication, place, brand, documents }: PublishedBrand) {
  return {
    workspace_id: manifest.workspaceId,
    workspace_name: JSON.stringify(manifest.workspaceName),
    snapshot_id: manifest.snapshotId,
    sequence: publication.sequence,
    as_of: manifest.asOf,
    published_at: publication.publishedAt,
    methodology_version: manifest.methodologyVersion,
    place,
    brand: JSON.stringify(brand),
    ...ofDocuments((kind) => documents[kind] ?? '{}'),
  };
}
