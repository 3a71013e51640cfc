import { Failure } from '../../lib/failure.ts';
import { utcDate } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { execute, parquetFiles, readSql } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { trackingKinds } from '../lake/layout.ts';
import type { TrackingKind } from '../lake/layout.ts';
import { trackingObjectAt } from '../lake/ledger.ts';
import type { Delivery } from '../lake/ledger.ts';
import { localPaths } from '../lake/local.ts';

export interface Input {
  key: string;
  sha256: string;
  /** Of runs: their cycle. */
  cycleDate?: string;
  /** Of runs: the earliest and latest `ran_at` in microseconds since the epoch, where they are known. */
  ranFrom?: string;
  ranTo?: string;
}

/** The lake objects that a snapshot is made from. */
export interface State {
  tracking: Partial<Record<TrackingKind, Input>>;
  runs: Input[];
}

/**
 * What exists as of an instant (methodology, first lines).
 * @throws Failure where no workspaces were ever delivered for that date.
 */
export function stateAsOf(lake: ObjectStore, ledger: readonly Delivery[], asOf: Micros): State {
  const date = utcDate(asOf);
  const tracking: State['tracking'] = {};
  for (const kind of trackingKinds) {
    const object = trackingObjectAt(ledger, kind, date);
    if (object !== null) tracking[kind] = object;
  }
  if (tracking.workspaces === undefined) {
    throw new Failure(
      `the lake ${lake.url} holds no workspaces dated ${date} or before; ingest a drop first`,
    );
  }
  const runs = ledger.flatMap((delivery) => delivery.runs).filter((object) => object.cycleDate <= date);
  return { tracking, runs };
}

/** The objects of a state, in the order in which a manifest lists them. */
export function inputsOf({ tracking, runs }: State): { path: string; sha256: string }[] {
  return [...Object.values(tracking), ...runs]
    .map(({ key, sha256 }) => ({ path: key, sha256 }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Fills the tracked_* tables. */
export async function loadTracking(
  connection: Connection,
  lake: ObjectStore,
  { tracking }: State,
  scratch: string,
): Promise<void> {
  await execute(connection, await readSql('weekly/tracked'));
  for (const [kind, object] of Object.entries(tracking)) {
    const paths = await localPaths(lake, [object], scratch);
    await execute(connection, `insert into tracked_${kind} by name from ${parquetFiles(paths)}`);
  }
}
