import type { Micros } from '../../../lib/methodology/instant.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { Connection } from '../../duckdb.ts';
import type { RunsObject } from '../../lake/delivery.ts';
import { localPaths } from '../../lake/local.ts';
import { makeTable, makeTableOf, selectRows, viewParquet } from '../../relations.ts';
import { hasRunsAfter } from './run-files.ts';
import type { State } from './state.ts';

/** Which run objects are of which workspaces to be published. */
export interface OwnRuns {
  /** All that are read. */
  read: readonly RunsObject[];
  /** Those that the snapshot of a workspace is made from. */
  of(workspaceId: string): readonly RunsObject[];
}

interface Where {
  lake: ObjectStore;
  state: State;
  asOf: Micros;
  scratch: string;
}

interface Row {
  object: string;
  workspaces: string[];
  hasOrphans: boolean;
}

/**
 * Finds them by the lists of brands that each delivery has of its run objects (docs/decisions/0003-lake-layout.md). Makes the
 * table `run_brand`; needs the table `brand`.
 */
export async function findOwnRuns(
  connection: Connection,
  { lake, state, asOf, scratch }: Where,
): Promise<OwnRuns> {
  const paths = await localPaths(lake, state.runBrands, scratch);
  await viewParquet(connection, 'listed_brand', paths, NONE_LISTED);
  const objects = state.runs.map((object) => {
    const isOpen = hasRunsAfter(object, asOf);
    return { object: object.key, cycle_date: object.cycleDate, is_open: String(isOpen) };
  });
  await makeTableOf(
    connection,
    'run_object',
    { object: 'varchar', cycle_date: 'date', is_open: 'boolean' },
    objects,
  );
  await makeTable(connection, import.meta, 'run-brand');
  const found = await selectRows<Row>(connection, import.meta, 'own-run');
  const rowOf = new Map(found.map((row) => [row.object, row]));
  const ofEach = new Map<string, RunsObject[]>();
  for (const object of state.runs)
    for (const id of rowOf.get(object.key)!.workspaces) ofEach.getOrInsertComputed(id, () => []).push(object);
  const isRead = (object: RunsObject) => {
    const { workspaces, hasOrphans } = rowOf.get(object.key)!;
    // How many runs without a tracked brand exist as of the instant is not in the lists.
    return workspaces.length > 0 || (hasOrphans && hasRunsAfter(object, asOf));
  };
  return { read: state.runs.filter(isRead), of: (workspaceId) => ofEach.get(workspaceId) ?? [] };
}

const NONE_LISTED =
  'select null::varchar as object, null::uuid as brand_id, null::varchar as engine, null::bigint as place, null::integer as runs';
