import { Failure } from '../../../lib/failure.ts';
import { MICROS_PER_DAY, utcDate } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { compareText } from '../../../lib/methodology/text.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { execute, rowsOf } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { literal, parquetFiles } from '../../literals.ts';
import { makeTableOf, runScript, selectRows } from '../../relations.ts';
import { newestCycle } from '../checks/completeness.ts';
import { hasRunsAfter } from './run-files.ts';
import { newestTracking } from '../../lake/ledger.ts';
import type { Delivery, LakeObject, RunsObject } from '../../lake/delivery.ts';
import type { Tracking } from '../../lake/ledger.ts';
import { localPaths } from '../../lake/local.ts';
import { makeRecordTables } from '../../lake/records.ts';

/** The lake objects that a snapshot is made from. */
export interface State {
  tracking: Tracking;
  runs: RunsObject[];
  /** What the ledger says of the brands in them. */
  runBrands: LakeObject[];
  /** The last cycle of the whole lake that anything ran in; null if nothing did. */
  newestCycle: string | null;
  /** Objects with runs of more than a day after the instant, of whatever cycle: a clock was wrong. */
  future: RunsObject[];
}

/**
 * What exists as of an instant (methodology, first lines).
 * @throws Failure if no workspaces were ever delivered for that date.
 */
export function stateAsOf(lake: ObjectStore, ledger: readonly Delivery[], asOf: Micros): State {
  const date = utcDate(asOf);
  const tracking = newestTracking(ledger.filter(({ trackingDate }) => trackingDate <= date));
  if (tracking.workspaces === undefined) throw noWorkspaces(lake, ledger, asOf);
  const objects = ledger.flatMap((delivery) => delivery.runs);
  const runs = objects.filter(({ cycleDate }) => cycleDate <= date);
  const future = objects.filter((object) => hasRunsAfter(object, asOf + MICROS_PER_DAY));
  return { tracking, runs, runBrands: runBrandsOf(ledger), newestCycle: newestCycle(runs, asOf), future };
}

function noWorkspaces(lake: ObjectStore, ledger: readonly Delivery[], asOf: Micros): Failure {
  const dates = ledger.flatMap(({ trackingDate, tracking }) =>
    tracking.some(({ kind }) => kind === 'workspaces') ? [trackingDate] : [],
  );
  const [first] = dates.toSorted();
  const found = `the lake ${lake.url} contains no workspaces dated ${utcDate(asOf)} or before`;
  return new Failure(
    first === undefined
      ? `${found}; ingest a drop first`
      : `${found}: the first are dated ${first}; "weekly" without --due and --as-of publishes them from that day on`,
  );
}

export function runBrandsOf(ledger: readonly Delivery[]): LakeObject[] {
  return ledger.flatMap(({ runBrands }) => runBrands ?? []);
}

/** Objects in the order in which a manifest lists them. */
export function inputsOf(
  tracking: State['tracking'],
  runs: readonly RunsObject[],
): { path: string; sha256: string }[] {
  return [...Object.values(tracking), ...runs]
    .map(({ key, sha256 }) => ({ path: key, sha256 }))
    .toSorted((a, b) => compareText(a.path, b.path));
}

/** Makes the types of engines and of what a mention names, and the tables `tracked_*` with the tracking state; `tracked_runs` stays empty. */
export async function loadTracking(
  connection: Connection,
  lake: ObjectStore,
  { tracking }: State,
  scratch: string,
): Promise<void> {
  const engines = engineSlugs.map(literal).join(', ');
  await execute(
    connection,
    `create type engine_slug as enum (${engines}); create type subject as enum ('brand', 'competitor', 'other')`,
  );
  await makeRecordTables(connection, 'tracked');
  for (const [kind, object] of Object.entries(tracking)) {
    const paths = await localPaths(lake, [object], scratch);
    await execute(connection, `insert into tracked_${kind} by name from ${parquetFiles(paths)}`);
  }
}

/**
 * Makes the tables `published_workspace`, `brand`, `competitor` and `prompt` of these workspaces, and `event`. Returns the
 * workspaces in the order of publication, which is that of their places: so their runs lie one after the other.
 */
export async function choosePublished(
  connection: Connection,
  workspaces: readonly string[],
  asOf: Micros,
): Promise<string[]> {
  const rows = workspaces.map((id) => ({ id }));
  await makeTableOf(connection, 'chosen_workspace', { id: 'uuid' }, rows);
  await runScript(connection, import.meta, 'published', { date: utcDate(asOf) });
  const ordered = await rowsOf<{ id: string }>(
    connection,
    'select id::varchar as id from published_workspace order by workspace_no',
  );
  return ordered.map(({ id }) => id);
}

/** The names of the tracked workspaces by id, ascending. */
export async function trackedWorkspaces(connection: Connection): Promise<Map<string, string>> {
  const rows = await selectRows<{ id: string; name: string }>(connection, import.meta, 'tracked-workspace');
  return new Map(rows.map(({ id, name }) => [id, name]));
}
