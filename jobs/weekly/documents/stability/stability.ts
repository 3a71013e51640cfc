import { CORE_SIZE, MIN_CYCLES } from '../../../../lib/methodology/constants.ts';
import { placementOf, stabilityOf } from '../../../../lib/methodology/stability.ts';
import { rowsOf } from '../../../duckdb.ts';
import type { Connection } from '../../../duckdb.ts';
import { makeTable, makeTableOf, sqlNextTo } from '../../../relations.ts';
import type { Slice } from '../../facts/merge/merge.ts';
import { brandJson, documentSource, promptsJson, query, rangeOf } from '../document.ts';
import type { PromptRow } from '../document.ts';

const queries = {
  prompts: query<PromptRow>(import.meta, 'prompt-stability', {
    core_size: CORE_SIZE,
    min_cycles: MIN_CYCLES,
  }),
};

/**
 * The stability document (methodology, Stability), in the canonical form of `encodeDocument`: nine tenths of all
 * bytes, so DuckDB writes it as text. A test compares it with the schema.
 */
export const stability = documentSource(
  queries,
  (brand, { prompts }) =>
    Buffer.from(
      `{"data":{"brand":${brandJson(brand)},"minCycles":${MIN_CYCLES},"prompts":${promptsJson(prompts)}}}\n`,
    ),
  makeTables,
);

async function makeTables(connection: Connection, slice: Slice): Promise<void> {
  for (const name of ['observed-series', 'identified', 'series-name']) {
    await makeTable(connection, import.meta, name, rangeOf(slice));
  }
  await makeShares(connection);
  await makeEscaped(connection);
  await makeTable(connection, import.meta, 'entity');
}

/** The table `share`: the share of every number of cycles in every number observed, as JSON has it, and its placement. */
async function makeShares(connection: Connection): Promise<void> {
  const sql = 'select distinct observed from observed_series';
  const shares = (await rowsOf<{ observed: number }>(connection, sql)).flatMap(({ observed }) =>
    Array.from({ length: observed + 1 }, (_, cycles) => ({ observed, cycles })),
  );
  await makeTableOf(connection, 'share', {
    observed: { type: 'integer', values: shares.map(({ observed }) => observed) },
    cycles: { type: 'integer', values: shares.map(({ cycles }) => cycles) },
    share: {
      type: 'varchar',
      values: shares.map(({ cycles, observed }) => String(stabilityOf(cycles, observed))),
    },
    placement: {
      type: 'varchar',
      values: shares.map(({ cycles, observed }) => placementOf(cycles, observed)),
    },
  });
}

/** The table `escaped`: as JSON, the entities that need more than quotation marks. DuckDB's own can be invalid JSON. */
async function makeEscaped(connection: Connection): Promise<void> {
  const rows = await rowsOf<{ text: string }>(connection, await sqlNextTo(import.meta, 'unescaped'));
  const texts = rows.map(({ text }) => text);
  await makeTableOf(connection, 'escaped', {
    text: { type: 'varchar', values: texts },
    json: { type: 'varchar', values: texts.map((text) => JSON.stringify(text)) },
  });
}
