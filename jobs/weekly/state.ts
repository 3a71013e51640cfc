import { Failure } from '../../lib/failure.ts';
import { utcDate } from '../../lib/instant.ts';
import type { Micros } from '../../lib/instant.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { execute, parquetFiles, readSql } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { trackingKinds } from '../lake/layout.ts';
import { trackingObjectAt } from '../lake/ledger.ts';
import type { Delivery, LakeObject, RunsObject } from '../lake/ledger.ts';
import { localPaths } from '../lake/local.ts';

/** The lake objects that a snapshot is made from. */
export interface State {
  tracking: LakeObject[];
  runs: RunsObject[];
}

/**
 * Fills the tracked_* tables and the view `run` with what exists as of an instant (methodology, first lines).
 * @throws Failure where no workspaces were ever delivered for that date.
 */
export async function loadState(
  connection: Connection,
  lake: ObjectStore,
  ledger: readonly Delivery[],
  asOf: Micros,
  scratch: string,
): Promise<State> {
  const date = utcDate(asOf);
  await execute(connection, await readSql('tracked'));
  const tracking: LakeObject[] = [];
  for (const kind of trackingKinds) {
    const object = trackingObjectAt(ledger, kind, date);
    if (object === null && kind === 'workspaces') {
      throw new Failure(
        `the lake ${lake.url} holds no workspaces dated ${date} or before; ingest a drop first`,
      );
    }
    if (object === null) continue;
    const [path] = await localPaths(lake, [object], scratch);
    await execute(connection, `insert into tracked_${kind} by name from ${parquetFiles([path!])}`);
    tracking.push(object);
  }
  const runs = ledger.flatMap((delivery) => delivery.runs).filter((object) => object.cycleDate <= date);
  const paths = await localPaths(lake, runs, scratch);
  const source = paths.length === 0 ? 'no_run' : parquetFiles(paths);
  await execute(
    connection,
    `create view run as from ${source} where ran_at <= make_timestamp(${asOf}::bigint)`,
  );
  return { tracking, runs };
}
