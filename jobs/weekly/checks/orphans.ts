import { rowsOf } from '../../duckdb.ts';
import { sqlNextTo } from '../../relations.ts';
import type { Connection } from '../../duckdb.ts';

/** Records that belong to nothing that is tracked: kept, shown nowhere. */
export type Orphaned = Record<'runs' | 'prompts' | 'competitors' | 'brands', number>;

/** Needs the tables of tracked.sql and `score`. */
export async function countOrphans(connection: Connection): Promise<Orphaned> {
  const [row] = await rowsOf<Orphaned>(connection, await sqlNextTo(import.meta, 'orphans'));
  return row!;
}
