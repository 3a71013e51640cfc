import { MICROS_PER_DAY } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { Connection } from '../../duckdb.ts';
import type { RunsObject } from '../../lake/delivery.ts';
import { parquetFiles } from '../../literals.ts';
import { countRows } from '../../relations.ts';
import type { RunFiles } from '../inputs/run-files.ts';

/** Counts the runs of more than a day after the snapshot. @param objects all that have such runs; only those that have others too are read */
export async function countFutureRuns(
  connection: Connection,
  objects: readonly RunsObject[],
  asOf: Micros,
  files: RunFiles,
): Promise<number> {
  const later = asOf + MICROS_PER_DAY;
  const [mixed, whole] = [true, false].map((is) =>
    objects.filter(({ ranFrom }) => BigInt(ranFrom) <= later === is),
  );
  const sum = whole!.reduce((total, { rows }) => total + rows, 0);
  if (mixed!.length === 0) return sum;
  const runs = `${parquetFiles(await files(mixed!))} where ran_at > make_timestamp(${later}::bigint)`;
  return sum + (await countRows(connection, runs));
}
