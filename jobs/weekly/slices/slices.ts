import {
  engineSlugs,
  IN_USE_DAYS,
  WEEK_DAYS,
  webGrounded,
  WINDOW_DAYS,
} from '../../../lib/methodology/constants.ts';
import { MICROS_PER_DAY } from '../../../lib/methodology/instant.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import { textList } from '../../duckdb.ts';
import { makeTable, makeTableOf, runScript, selectRows } from '../../relations.ts';
import type { OwnRuns } from '../inputs/own-runs.ts';
import { hasRunsAfter, viewRuns } from '../inputs/run-files.ts';
import type { RunFiles } from '../inputs/run-files.ts';
import type { Week } from '../week.ts';

/** Consecutive brands in the order of publication, as parameters of queries. */
export interface Slice {
  [parameter: string]: number | bigint;
  first_brand: number;
  last_brand: number;
  /** The range in which their runs are placed. */
  first_place: bigint;
  last_place: bigint;
  /** How many cycles a bit string has. */
  cycles: number;
}

/**
 * Bytes of run objects in a slice for each cycle: some 100 brands. What its tables have of a series hardly grows with the cycles;
 * slices of fewer brands would read each row group several times (50 brands, 104 weeks, five slices: 1.4 times the CPU time).
 */
const BYTES_IN_SLICE = (4 << 20) / 3;

/**
 * Makes the view `run` of the runs that exist as of the snapshot, and the tables `cycle` and `ran`; needs `brand` and
 * `run_brand`. Returns the slices.
 */
export async function openSlices(week: Week, own: OwnRuns, files: RunFiles): Promise<Slice[]> {
  const { connection, asOf, bytesInSlice = BYTES_IN_SLICE } = week;
  const paths = await files(own.read);
  await viewRuns(connection, 'run', paths, asOf);
  const open = own.read.filter((object) => hasRunsAfter(object, asOf));
  await viewRuns(connection, 'open_run', await files(open), asOf);
  await makeTable(connection, import.meta, 'ran');
  const dates = [...new Set(own.read.map(({ cycleDate }) => cycleDate))].toSorted();
  const cycles = dates.map((date, index) => ({ cycle_no: index + 1, cycle_date: date }));
  await makeTableOf(connection, 'cycle', { cycle_no: 'integer', cycle_date: 'date' }, cycles);
  const bytes = own.read.reduce((sum, object) => sum + object.bytes, 0);
  // DuckDB has no bit string without bits.
  const bits = Math.max(1, dates.length);
  const slices = Math.max(1, Math.ceil(bytes / bits / bytesInSlice));
  const rows = await selectRows<Slice>(connection, import.meta, 'slices', { slices });
  return rows.map((row) => ({ ...row, cycles: bits }));
}

/** Makes the tables of a slice, which the queries of the documents read. */
export async function makeSlice({ connection, asOf }: Week, slice: Slice): Promise<void> {
  await runScript(connection, import.meta, 'slice', slice);
  await runScript(connection, import.meta, 'series', slice);
  await runScript(connection, import.meta, 'window', {
    since: daysBefore(asOf, WINDOW_DAYS),
    week_since: daysBefore(asOf, WEEK_DAYS),
    used_since: daysBefore(asOf, IN_USE_DAYS),
    web_grounded: textList(engineSlugs.filter((slug) => webGrounded[slug])),
  });
}

function daysBefore(asOf: Micros, days: number): Micros {
  return asOf - BigInt(days) * MICROS_PER_DAY;
}
