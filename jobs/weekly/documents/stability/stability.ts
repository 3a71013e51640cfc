import { CORE_SIZE, MIN_CYCLES } from '../../../../lib/methodology/constants.ts';
import { placementOf, stabilityOf } from '../../../../lib/methodology/stability.ts';
import { rowsOf } from '../../../duckdb.ts';
import type { Connection } from '../../../duckdb.ts';
import { makeTableOf, runScript, selectRows } from '../../../relations.ts';
import type { Slice } from '../../history/merge/merge.ts';
import { documentFromText, query } from '../document.ts';
import type { PromptRow } from '../document.ts';

const prompts = query<PromptRow>(import.meta, 'prompt-stability', {
  core_size: CORE_SIZE,
  min_cycles: MIN_CYCLES,
});

/** The stability document (methodology, Stability): nine tenths of all bytes. */
export const stability = documentFromText(prompts, makeTables, { minCycles: MIN_CYCLES });

async function makeTables(connection: Connection, slice: Slice): Promise<void> {
  await runScript(connection, import.meta, 'names', slice);
  await makeShares(connection);
  await makeEscaped(connection);
}

/** The table `share`: the stability, as JSON, and placement of each number of cycles out of each number observed. */
async function makeShares(connection: Connection): Promise<void> {
  const sql = 'select distinct observed from observed_series';
  const pairs = (await rowsOf<{ observed: number }>(connection, sql)).flatMap(({ observed }) =>
    Array.from({ length: observed + 1 }, (_, cycles) => [cycles, observed] as const),
  );
  await makeTableOf(connection, 'share', {
    cycles: { type: 'integer', values: pairs.map(([cycles]) => cycles) },
    observed: { type: 'integer', values: pairs.map(([, observed]) => observed) },
    share: { type: 'varchar', values: pairs.map((pair) => String(stabilityOf(...pair))) },
    placement: { type: 'varchar', values: pairs.map((pair) => placementOf(...pair)) },
  });
}

/** The table `escaped`: entities with characters to be escaped, as JSON. DuckDB's own escaping can be invalid. */
async function makeEscaped(connection: Connection): Promise<void> {
  const rows = await selectRows<{ text: string }>(connection, import.meta, 'unescaped');
  const texts = rows.map(({ text }) => text);
  await makeTableOf(connection, 'escaped', {
    text: { type: 'varchar', values: texts },
    json: { type: 'varchar', values: texts.map((text) => JSON.stringify(text)) },
  });
}
