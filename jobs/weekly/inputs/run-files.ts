import type { Micros } from '../../../lib/methodology/instant.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { Connection } from '../../duckdb.ts';
import { parquetFiles } from '../../literals.ts';
import { makeView } from '../../relations.ts';
import type { RunsObject } from '../../lake/delivery.ts';
import { localPaths } from '../../lake/local.ts';

/** Local files of run objects. Each is fetched and verified once. Do not call it again before it has returned. */
export type RunFiles = (objects: readonly RunsObject[]) => Promise<string[]>;

export function runFiles(lake: ObjectStore, scratch: string): RunFiles {
  const fetched = new Map<string, string>();
  return async (objects) => {
    const missing = objects.filter(({ key }) => !fetched.has(key));
    const paths = await localPaths(lake, missing, scratch);
    for (const [index, { key }] of missing.entries()) fetched.set(key, paths[index]!);
    return objects.map(({ key }) => fetched.get(key)!);
  };
}

/** True if an object has runs of after an instant. */
export function hasRunsAfter({ ranTo }: RunsObject, instant: Micros): boolean {
  return BigInt(ranTo) > instant;
}

/** Makes a view of the runs in those files that exist as of an instant. */
export async function viewRuns(
  connection: Connection,
  view: string,
  paths: readonly string[],
  asOf: Micros,
): Promise<void> {
  const none =
    'select *, 0::bigint as place, 0::ubigint as file_index, 0::bigint as file_row_number from record_runs';
  const files = parquetFiles(paths, 'file_row_number = true');
  const source = paths.length === 0 ? none : `select *, file_index from ${files}`;
  await makeView(
    connection,
    view,
    `select * from (${source}) where ran_at <= make_timestamp(${asOf}::bigint)`,
  );
}
