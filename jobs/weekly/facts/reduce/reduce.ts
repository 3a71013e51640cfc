import { execute, rowsOf } from '../../../duckdb.ts';
import type { Connection } from '../../../duckdb.ts';
import { literal } from '../../../literals.ts';
import { makeTable, makeTableOf, sqlNextTo } from '../../../relations.ts';
import { cycleColumns } from '../cycle-columns.ts';
import { addPart, noParts } from '../parts.ts';
import type { FactRelation, Parts } from '../parts.ts';

/** The table of the brands that a run with a scope reads; what runs others have is counted. */
export const SCOPE_BRAND = 'scope_brand';

export interface Reduction {
  /** The cycles whose runs are in the view `every_run`. */
  dates: readonly string[];
  /** The bit of each cycle in a bit string of all of them. */
  places: readonly number[];
  cycleCount: number;
  /** A table of the ids of the brands to reduce; null: all brands. */
  brands: string | null;
  /** How many parts of the brands are reduced one after the other, so that each fits into memory. */
  slices: number;
  /** A folder of its own for the files. */
  folder: string;
}

/** Reduces runs to Parquet files. */
export async function reduceRuns(connection: Connection, reduction: Reduction): Promise<Parts> {
  const { dates, places, cycleCount, brands, slices, folder } = reduction;
  const parts = noParts();
  const add = async (relation: FactRelation, query: string) =>
    await addPart(connection, folder, parts, relation, query);
  const limit = brands === null ? '' : `semi join ${brands} as chosen on chosen.id = every_run.brand_id`;
  await execute(connection, `create or replace view scope_run as from every_run ${limit}`);
  const bits = cycleColumns(places, cycleCount);
  await makeTableOf(connection, 'cycle', { cycle_date: { type: 'date', values: dates }, ...bits });
  const before = { series_before: 0, spellings_before: 0 };
  for (const condition of await brandSlices(connection, slices)) {
    await execute(connection, `create or replace view slice_run as from scope_run where ${condition}`);
    await makeTable(connection, import.meta, 'asked');
    await makeTable(connection, import.meta, 'series', before);
    await makeTable(connection, import.meta, 'mentioned');
    await makeTable(connection, import.meta, 'spellings', before);
    await add('series', 'from series');
    await add('spellings', 'from spellings');
    await add('names', await sqlNextTo(import.meta, 'names'));
    await add('scores', await sqlNextTo(import.meta, 'scores'));
    await add('results', await sqlNextTo(import.meta, 'results'));
    before.series_before += await rowsIn(connection, 'series');
    before.spellings_before += await rowsIn(connection, 'spellings');
  }
  if (brands === SCOPE_BRAND) await add('outside_runs', await sqlNextTo(import.meta, 'outside-runs'));
  await execute(
    connection,
    'drop table asked; drop table series; drop table mentioned; drop table spellings; drop table cycle',
  );
  return parts;
}

/** For each slice, the condition on its runs. */
async function brandSlices(connection: Connection, slices: number): Promise<string[]> {
  if (slices <= 1) return ['true'];
  const sql = await sqlNextTo(import.meta, 'slices');
  const rows = await rowsOf<{ first: string; last: string }>(connection, sql, { slices });
  if (rows.length === 0) return ['true'];
  return rows.map(({ first, last }) => `brand_id between uuid ${literal(first)} and uuid ${literal(last)}`);
}

async function rowsIn(connection: Connection, table: string): Promise<number> {
  const [row] = await rowsOf<{ rows: number }>(connection, `select count(*)::integer as rows from ${table}`);
  return row!.rows;
}
