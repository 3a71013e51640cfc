import { MICROS_PER_DAY } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import { execute } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import type { RunsObject } from '../../lake/ledger.ts';
import { parquetFiles } from '../../literals.ts';
import { selectRows } from '../../relations.ts';
import type { RunFiles } from '../inputs/run-files.ts';

/** Runs of more than a day after the snapshot. */
export interface FutureRuns {
  runs: number;
  /** By key, how many runs of an object do not exist yet, where all of these are of more than a day later. */
  hidden: ReadonlyMap<string, number>;
}

/** @param objects all that have such runs; only those that have others too are read */
export async function findFutureRuns(
  connection: Connection,
  objects: readonly RunsObject[],
  asOf: Micros,
  files: RunFiles,
): Promise<FutureRuns> {
  const isMixed = ({ ranFrom }: RunsObject) => BigInt(ranFrom) <= asOf + MICROS_PER_DAY;
  const mixed = objects.filter(isMixed);
  const whole = objects.filter((object) => !isMixed(object));
  const rows = mixed.length === 0 ? [] : await countIn(connection, await files(mixed), asOf);
  const runs = [...whole.map((object) => object.rows), ...rows.map((row) => row.runs)];
  const hidden = new Map(whole.map((object) => [object.key, object.rows]));
  for (const row of rows) if (row.hidden !== null) hidden.set(mixed[row.file]!.key, row.hidden);
  return { runs: runs.reduce((sum, count) => sum + count, 0), hidden };
}

interface Row {
  file: number;
  runs: number;
  hidden: number | null;
}

async function countIn(connection: Connection, paths: readonly string[], asOf: Micros): Promise<Row[]> {
  const runs = `select file_index, ran_at from ${parquetFiles(paths)}`;
  await execute(connection, `create or replace view future_run as ${runs}`);
  return await selectRows<Row>(connection, import.meta, 'future-runs', { as_of: String(asOf) });
}
