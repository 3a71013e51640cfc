import type { Connection } from '../../duckdb.ts';
import { makeTableOf } from '../../relations.ts';

/** A BIGINT has 63 bits and a sign. */
const CYCLES_IN_COLUMN = 63;

/**
 * Makes a table with the date of each cycle, and with its bit in the columns `cycles_*`: in the row of a cycle, only its own
 * bit is set. `cycles_0` has the first 63 cycles of the history.
 * @param first the number of the first of these dates in the history; they are consecutive cycles
 */
export async function makeCycles(
  connection: Connection,
  table: string,
  dates: readonly string[],
  first: number,
): Promise<void> {
  const columnOf = (at: number) => `cycles_${Math.floor((first + at) / CYCLES_IN_COLUMN)}`;
  const columns = [...new Set(['cycles_0', ...dates.keys().map(columnOf)])];
  const rows = dates.map((date, at) => {
    const bit = 1n << BigInt((first + at) % CYCLES_IN_COLUMN);
    const bits = columns.map((column) => [column, column === columnOf(at) ? bit : 0n] as const);
    return { cycle_date: date, ...Object.fromEntries(bits) };
  });
  const types = columns.map((column) => [column, 'bigint'] as const);
  await makeTableOf(connection, table, { cycle_date: 'date', ...Object.fromEntries(types) }, rows);
}
