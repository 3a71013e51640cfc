import type { ObjectStore } from '../../../lib/store/store.ts';
import { execute, rowsOf } from '../../duckdb.ts';
import type { Connection, Database } from '../../duckdb.ts';
import { parquetFiles } from '../../literals.ts';
import { localPaths } from '../../lake/local.ts';
import type { LedgerEntry } from '../../lake/ledger.ts';
import type { RecordKind, TrackingKind } from '../../lake/layout.ts';
import { sqlNextTo } from '../../relations.ts';
import type { DropFile } from '../drop.ts';
import { eachPart } from '../check/stage.ts';

const REASON = 'the id was delivered before with other content';

/** The columns that make up a tracking record's content; spellings that mean the same are already one. */
const content: Record<TrackingKind, string> = {
  workspaces: '{n: name, c: created_at}',
  brands: '{w: workspace_id, n: name, d: domain, c: created_at}',
  competitors: '{b: brand_id, n: name}',
  prompts: '{b: brand_id, t: text, a: is_active, c: created_at}',
};

/** Takes records out of `staged_KIND` whose id stands earlier in the delivery; those with other content are refused. */
export async function removeRepeatedTracking(
  database: Database,
  connection: Connection,
  kind: TrackingKind,
  files: readonly DropFile[],
): Promise<void> {
  const sql = (await sqlNextTo(import.meta, 'tracking'))
    .replaceAll('{kind}', kind)
    .replaceAll('{content}', content[kind]);
  await execute(connection, sql);
  await removeRepeated(database, connection, kind, files);
}

/** The same for runs, which add up: an id may have come with any earlier delivery to the lake. */
export async function removeRepeatedRuns(
  database: Database,
  connection: Connection,
  lake: ObjectStore,
  ledger: readonly LedgerEntry[],
  files: readonly DropFile[],
  scratch: string,
): Promise<void> {
  const hashes = ledger.flatMap(({ runIds }) => (runIds === null ? [] : [runIds]));
  await viewParquet(connection, 'known_hash', await localPaths(lake, hashes, scratch), KNOWN_HASH);
  await execute(connection, await sqlNextTo(import.meta, 'ids'));
  const cycles = await rowsOf<{ cycle: string }>(
    connection,
    'select distinct cycle_date::varchar as cycle from repeated_id where cycle_date is not null',
  );
  const concerned = new Set(cycles.map((row) => row.cycle));
  const objects = ledger.flatMap(({ runs }) => runs.filter(({ cycleDate }) => concerned.has(cycleDate)));
  await viewParquet(connection, 'known_run', await localPaths(lake, objects, scratch), KNOWN_RUN);
  await execute(connection, await sqlNextTo(import.meta, 'runs'));
  await removeRepeated(database, connection, 'runs', files);
}

const KNOWN_HASH = 'select null::bigint as hash, null::date as cycle_date';
const KNOWN_RUN = 'select * exclude (file, line) from staged_runs';

/** @param none a query with the columns that the view has where there are no files */
async function viewParquet(connection: Connection, name: string, paths: readonly string[], none: string) {
  const rows = paths.length === 0 ? `${none} limit 0` : `select * from ${parquetFiles(paths)}`;
  await execute(connection, `create or replace temp view ${name} as ${rows}`);
}

async function removeRepeated(
  database: Database,
  connection: Connection,
  kind: RecordKind,
  files: readonly DropFile[],
): Promise<void> {
  const conflicts = await rowsOf<{ file: string }>(
    connection,
    'select distinct file from repeated where conflicting order by file',
  );
  await execute(
    connection,
    `create or replace table conflict as select file, line from repeated where conflicting;
     delete from staged_${kind} where rowid in (select staged_row from repeated);`,
  );
  for (const { file } of conflicts)
    await refuseConflicts(
      database,
      files.find((f) => f.file === file)!,
    );
}

/** Records are not kept while they are staged; the few that are refused late are read a second time. */
async function refuseConflicts(database: Database, file: DropFile): Promise<void> {
  await eachPart(database, file, async (connection, part) => {
    await part.load(connection);
    await execute(
      connection,
      `insert into reject by name
       select $file as file, line, $reason as reason, record
       from lines semi join (select line from conflict where file = $file) using (line)`,
      { file: file.file, reason: REASON },
    );
  });
}
