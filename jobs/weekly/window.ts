import type { Micros } from '../../lib/instant.ts';
import { WINDOW_DAYS, engineSlugs, webGrounded } from '../../lib/methodology.ts';
import { execute, readSql, textList } from '../duckdb.ts';
import type { Connection } from '../duckdb.ts';
import { inNewestWeek, newestCycle } from './completeness.ts';
import { viewRuns } from './run-files.ts';
import type { RunFiles } from './run-files.ts';
import type { Input } from './state.ts';

const MICROS_PER_DAY = 86_400_000_000n;

/** Makes the view `run` of the window and of the newest week, and the tables of window.sql. */
export async function loadWindow(
  connection: Connection,
  runs: readonly Input[],
  asOf: Micros,
  files: RunFiles,
): Promise<void> {
  const windowStart = asOf - BigInt(WINDOW_DAYS) * MICROS_PER_DAY;
  const newest = newestCycle(runs, asOf);
  const objects = runs.filter(
    ({ ranTo, cycleDate }) =>
      ranTo === undefined || BigInt(ranTo) > windowStart || inNewestWeek(cycleDate, newest),
  );
  await viewRuns(connection, 'run', await files(objects), asOf);
  await execute(connection, await readSql('weekly/window'), {
    as_of: asOf,
    window_days: WINDOW_DAYS,
    web_grounded: textList(engineSlugs.filter((slug) => webGrounded[slug])),
  });
}
