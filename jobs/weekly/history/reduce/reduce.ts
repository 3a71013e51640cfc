import { execute } from '../../../duckdb.ts';
import type { Connection } from '../../../duckdb.ts';
import { literal } from '../../../literals.ts';
import { countRows, runScript, selectRows } from '../../../relations.ts';
import { makeCycles } from '../cycle-columns.ts';
import { baseRelations, writeParts } from '../parts.ts';
import type { Parts } from '../parts.ts';

export interface Reduction {
  /** The cycles whose runs are in the view `every_run`. */
  dates: readonly string[];
  /** The number of the first of them in the history; they are consecutive. */
  first: number;
  /** The table of the brands to reduce; null: all brands, tracked or not. */
  brands: 'brand' | 'moved_brand' | null;
  /** The brands are reduced in this number of slices, one after the other, so that each fits into memory. */
  slices: number;
  scratch: string;
}

/** Reduces runs to Parquet files below `scratch`. */
export async function reduceRuns(connection: Connection, reduction: Reduction): Promise<Parts> {
  const { dates, first, brands, slices, scratch } = reduction;
  const { parts, add } = await writeParts(connection, scratch);
  const limit = brands === null ? '' : `semi join ${brands} as chosen on chosen.id = every_run.brand_id`;
  await execute(connection, `create or replace view scope_run as from every_run ${limit}`);
  await makeCycles(connection, 'cycle', dates, first);
  const inSlice = baseRelations.filter((relation) => relation !== 'outside_runs');
  const before = { series_before: 0, spellings_before: 0 };
  for (const condition of await brandSlices(connection, slices)) {
    await execute(connection, `create or replace view slice_run as from scope_run where ${condition}`);
    await runScript(connection, import.meta, 'reduce', before);
    for (const relation of inSlice) await add(relation, `from ${relation}`);
    before.series_before += await countRows(connection, 'series');
    before.spellings_before += await countRows(connection, 'spellings');
  }
  // A reduction of all brands, or of moved ones, has no others to count.
  await add('outside_runs', `from outside_runs ${brands === 'brand' ? '' : 'limit 0'}`);
  const tables = ['asked', 'series', 'mentioned', 'spellings', 'cycle'];
  await execute(connection, tables.map((table) => `drop table ${table}`).join(';'));
  return parts;
}

/** The condition on the runs of each slice. */
async function brandSlices(connection: Connection, slices: number): Promise<string[]> {
  if (slices <= 1) return ['true'];
  const rows = await selectRows<{ first: string; last: string }>(connection, import.meta, 'slices', {
    slices,
  });
  if (rows.length === 0) return ['true'];
  return rows.map(({ first, last }) => `brand_id between uuid ${literal(first)} and uuid ${literal(last)}`);
}
