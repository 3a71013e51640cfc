import { MICROS_PER_DAY } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import { WINDOW_DAYS, engineSlugs, webGrounded } from '../../../lib/methodology/constants.ts';
import { textList } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import type { RunsObject } from '../../lake/ledger.ts';
import { runScript } from '../../relations.ts';
import { viewRuns } from './run-files.ts';
import type { RunFiles } from './run-files.ts';

/** Makes the views `run` and `recent_run` of the window, and the tables `window_*`. */
export async function loadWindow(
  connection: Connection,
  runs: readonly RunsObject[],
  asOf: Micros,
  files: RunFiles,
): Promise<void> {
  const since = asOf - BigInt(WINDOW_DAYS) * MICROS_PER_DAY;
  const objects = runs.filter(({ ranTo }) => BigInt(ranTo) > since);
  await viewRuns(connection, 'run', await files(objects), asOf);
  await runScript(connection, import.meta, 'window', {
    since: String(since),
    web_grounded: textList(engineSlugs.filter((slug) => webGrounded[slug])),
  });
}
