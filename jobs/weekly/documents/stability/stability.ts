import { CORE_SIZE, MIN_CYCLES } from '../../../../lib/methodology/constants.ts';
import { placementOf, stabilityOf } from '../../../../lib/methodology/stability.ts';
import { rowsOf } from '../../../duckdb.ts';
import type { Connection } from '../../../duckdb.ts';
import { makeTableOf, runScript, selectRows } from '../../../relations.ts';
import { selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

interface Row {
  promptId: string;
  promptText: string;
  /** The entries of the list `engines`, as JSON. */
  engines: string;
}

/**
 * The stability document (methodology, Stability): nine tenths of all bytes. DuckDB writes its hundreds of thousands of entries
 * as text, in the canonical form of `encodeDocument`. A test compares it with the schema.
 */
export const stability: DocumentSource = async (connection, slice) => {
  await runScript(connection, import.meta, 'names', slice);
  await makeShares(connection);
  await makeEscaped(connection);
  const limits = { core_size: CORE_SIZE, min_cycles: MIN_CYCLES };
  const promptsOf = await selectByBrand<Row>(connection, import.meta, 'prompt-stability', {
    ...slice,
    ...limits,
  });
  return (brandNo, brand) => {
    const list = promptsOf(brandNo).map(
      ({ promptId, promptText, engines }) =>
        `{"promptId":"${promptId}","promptText":${JSON.stringify(promptText)},"engines":[${engines}]}`,
    );
    const head = `{"data":{"brand":${JSON.stringify(brand)},"minCycles":${MIN_CYCLES}`;
    return Buffer.from(`${head},"prompts":[${list.join(',')}]}}\n`);
  };
};

/** The table `share`: the stability, as JSON, and placement of each number of cycles out of each number observed. */
async function makeShares(connection: Connection): Promise<void> {
  const sql = 'select distinct observed from observed_series';
  const rows = (await rowsOf<{ observed: number }>(connection, sql)).flatMap(({ observed }) =>
    Array.from({ length: observed + 1 }, (_, cycles) => ({
      cycles,
      observed,
      share: stabilityOf(cycles, observed),
      placement: placementOf(cycles, observed),
    })),
  );
  const columns = { cycles: 'integer', observed: 'integer', share: 'varchar', placement: 'varchar' } as const;
  await makeTableOf(connection, 'share', columns, rows);
}

/** The table `escaped`: entities with characters to be escaped, as JSON. DuckDB's own escaping can be invalid. */
async function makeEscaped(connection: Connection): Promise<void> {
  const texts = await selectRows<{ text: string }>(connection, import.meta, 'unescaped');
  const rows = texts.map(({ text }) => ({ text, json: JSON.stringify(text) }));
  await makeTableOf(connection, 'escaped', { text: 'varchar', json: 'varchar' }, rows);
}
