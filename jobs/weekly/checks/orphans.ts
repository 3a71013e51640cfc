import { z } from 'zod';
import { count } from '../../../lib/documents/shared.ts';
import { makeTableOf, selectRows } from '../../relations.ts';
import type { Connection } from '../../duckdb.ts';
import type { RunsObject } from '../../lake/ledger.ts';

/** Records that belong to nothing that is tracked: kept, shown nowhere. */
export const orphanedSchema = z.object({ runs: count, prompts: count, competitors: count, brands: count });
export type Orphaned = z.infer<typeof orphanedSchema>;

/**
 * Counts those of the whole lake. Needs the tables `tracked_*`, `score` and `outside_run`, and the view `run_brand`.
 * @param uncounted objects whose runs are not in `score` and `outside_run`, since they were not read
 */
export async function countOrphans(
  connection: Connection,
  uncounted: readonly RunsObject[],
): Promise<Orphaned> {
  const objects = uncounted.map(({ key }) => ({ object: key }));
  await makeTableOf(connection, 'uncounted_object', { object: 'varchar' }, objects);
  const [row] = await selectRows<Orphaned>(connection, import.meta, 'orphans');
  return row!;
}
