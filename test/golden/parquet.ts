import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

const created = `created_at: 'varchar'`;
const mention =
  'struct(name varchar, subject varchar, competitor_id uuid, "position" integer, sentiment varchar)[]';
/** By kind, the columns of its file with their types. */
const columns: Record<string, string> = {
  workspaces: `id: 'uuid', name: 'varchar', ${created}`,
  brands: `id: 'uuid', workspace_id: 'uuid', name: 'varchar', domain: 'varchar', ${created}`,
  competitors: `id: 'uuid', brand_id: 'uuid', name: 'varchar'`,
  prompts: `id: 'uuid', brand_id: 'uuid', text: 'varchar', is_active: 'boolean', ${created}, tags: 'varchar[]'`,
  events: `id: 'uuid', workspace_id: 'uuid', engine: 'varchar', date: 'date', text: 'varchar', url: 'varchar'`,
  runs: `id: 'uuid', brand_id: 'uuid', prompt_id: 'uuid', engine: 'varchar', cycle_date: 'date', ran_at: 'varchar',
    status: 'varchar', mentions: '${mention}', citations: 'struct(url varchar, source_type varchar)[]',
    model: 'varchar', answer_url: 'varchar', answer_sha256: 'varchar'`,
};

/** Replaces an NDJSON file of a drop by one in Parquet with native types: UUID, DATE, TIMESTAMPTZ, lists of structs. */
export async function toParquet(path: string): Promise<void> {
  const stem = path.replace(/\.ndjson(\.gz)?$/, '');
  const types = columns[basename(stem).replace(/-.*/, '')]!;
  const instant = /ran_at|created_at/.exec(types)?.[0];
  // A cast would round to microseconds; the contract truncates.
  const cut = `replace (regexp_replace(${instant}, '([.][0-9]{6})[0-9]+', '\\1')::timestamptz as ${instant})`;
  const database = await DuckDBInstance.create();
  const connection = await database.connect();
  await connection.run(
    `copy (
       select * ${instant === undefined ? '' : cut}
       from read_ndjson(${literal(path)}, columns = {${types}})
     ) to ${literal(`${stem}.parquet`)} (format parquet)`,
  );
  connection.closeSync();
  database.closeSync();
  await rm(path);
}
