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
  const places = dates.map((_, at) => {
    const cycleNo = first + at;
    return { column: `cycles_${Math.floor(cycleNo / CYCLES_IN_COLUMN)}`, bit: cycleNo % CYCLES_IN_COLUMN };
  });
  const columns = ['cycles_0', ...places.map(({ column }) => column)];
  const bitsIn = (column: string) =>
    places.map((place) => (place.column === column ? String(1n << BigInt(place.bit)) : '0'));
  const bits = columns.map((column) => [column, { type: 'bigint', values: bitsIn(column) }] as const);
  await makeTableOf(connection, table, {
    cycle_date: { type: 'date', values: dates },
    ...Object.fromEntries(bits),
  });
}
