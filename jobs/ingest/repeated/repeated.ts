import { execute, rowsOf } from '../../duckdb.ts';
import type { Database } from '../../duckdb.ts';
import { localPaths } from '../../lake/local.ts';
import type { Delivery } from '../../lake/delivery.ts';
import type { RecordKind } from '../../lake/layout.ts';
import { runScript, viewParquet } from '../../relations.ts';
import { eachPart, refuse } from '../check/stage.ts';
import type { DropFile } from '../drop.ts';
import type { Target } from '../write.ts';

/**
 * Removes the staged records whose id was delivered before: earlier in this delivery or, for runs, which add up, in any
 * delivery of the ledger. `repeated` has them all; those with other content are refused.
 */
export async function removeRepeated(
  database: Database,
  target: Target,
  files: readonly DropFile[],
  ledger: readonly Delivery[],
): Promise<void> {
  const { connection } = target;
  for (const kind of new Set(files.map((file) => file.kind)))
    await removeRepeatedOf(kind, target, kind === 'runs' ? ledger : []);
  const conflicts = await rowsOf<{ file: string }>(
    connection,
    'select distinct file from repeated where conflicting',
  );
  const conflicting = new Set(conflicts.map(({ file }) => file));
  for (const file of files) if (conflicting.has(file.file)) await refuseConflicts(database, file);
}

async function removeRepeatedOf(
  kind: RecordKind,
  { connection, lake, scratch }: Target,
  ledger: readonly Delivery[],
): Promise<void> {
  await execute(connection, `create or replace temp view staged_record as from staged_${kind}`);
  const hashes = ledger.flatMap(({ runIds }) => runIds ?? []);
  await viewParquet(connection, 'known_hash', await localPaths(lake, hashes, scratch), KNOWN_HASH);
  await runScript(connection, import.meta, 'repeated-id');
  const cycles = await rowsOf<{ cycle: string | null }>(
    connection,
    'select distinct cycle_date::varchar as cycle from repeated_id',
  );
  if (cycles.length === 0) return;
  const concerned = new Set(cycles.map(({ cycle }) => cycle));
  const objects = ledger.flatMap(({ runs }) => runs.filter(({ cycleDate }) => concerned.has(cycleDate)));
  const known = await localPaths(lake, objects, scratch);
  await viewParquet(connection, 'known_record', known, KNOWN_RECORD, '* exclude (place)');
  await runScript(connection, import.meta, 'repeated');
  await execute(
    connection,
    `delete from staged_${kind} where (file, line) in (select (file, line) from repeated)`,
  );
}

const KNOWN_HASH = 'select null::bigint as hash, null::date as cycle_date';
const KNOWN_RECORD = 'select * exclude (file, line) from staged_record';

/** The text of a record is not kept while it is staged; the few that are refused late are read a second time. */
async function refuseConflicts(database: Database, file: DropFile): Promise<void> {
  await eachPart(database, file, async (connection, part) => {
    await part.load(connection);
    await execute(
      connection,
      `create or replace temp table refusing as
       select line, 'the id was delivered before with other content' as reason, record, null::varchar as record_base64
       from lines semi join (select line from repeated where file = $file and conflicting) using (line)`,
      { file: file.file },
    );
    await refuse(connection, file, part);
  });
}
