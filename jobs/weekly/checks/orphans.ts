import { selectRows } from '../../relations.ts';
import type { Connection } from '../../duckdb.ts';

/** Records that belong to nothing that is tracked: kept, shown nowhere. */
export type Orphaned = Record<'runs' | 'prompts' | 'competitors' | 'brands', number>;

/** Counts those of the whole lake. */
export async function countOrphans(connection: Connection): Promise<Orphaned> {
  const [row] = await selectRows<Orphaned>(connection, import.meta, 'orphans');
  return row!;
}
