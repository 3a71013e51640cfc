import type { Micros } from '../../../lib/methodology/instant.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { Connection } from '../../duckdb.ts';
import type { RunsObject } from '../../lake/ledger.ts';
import { localPaths } from '../../lake/local.ts';
import { selectRows, viewParquet } from '../../relations.ts';
import type { State } from '../inputs/state.ts';

/** Which run objects are of which workspaces to be published. */
export interface OwnRuns {
  /** All that are read. */
  read: readonly RunsObject[];
  /** The others: they have no run of a brand to be published. */
  unread: readonly RunsObject[];
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
 * Makes the view `run_brand` of what the ledger says of them; needs the table `brand`. An object of which it says nothing is
 * of all workspaces.
 * @param readsAll true to read all objects, also those without a brand to be published
 */
export async function findOwnRuns(
  connection: Connection,
  { lake, state, asOf, scratch }: Where,
  readsAll: boolean,
): Promise<OwnRuns> {
  const paths = await localPaths(lake, state.runBrands, scratch);
  const none = 'select null::varchar as object, null::uuid as brand_id, null::integer as runs';
  await viewParquet(connection, 'run_brand', paths, none);
  const found = await selectRows<Row>(connection, import.meta, 'run-object');
  const known = new Map(found.map((row) => [row.object, row]));
  const ofAll: RunsObject[] = [];
  const ofEach = new Map<string, RunsObject[]>();
  for (const object of state.runs) {
    const row = known.get(object.key);
    if (row === undefined) ofAll.push(object);
    for (const id of row?.workspaces ?? []) {
      const own = ofEach.get(id) ?? [];
      ofEach.set(id, own);
      own.push(object);
    }
  }
  const isRead = (object: RunsObject) => {
    const row = known.get(object.key);
    // How many runs without a tracked brand exist as of the instant is not known from the ledger.
    const isOpen = BigInt(object.ranTo) > asOf && row?.hasOrphans === true;
    return readsAll || row === undefined || row.workspaces.length > 0 || isOpen;
  };
  return {
    read: state.runs.filter(isRead),
    unread: state.runs.filter((object) => !isRead(object)),
    of: (workspaceId) => [...ofAll, ...(ofEach.get(workspaceId) ?? [])],
  };
}
