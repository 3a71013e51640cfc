/** A BIGINT has 63 bits and a sign. */
const CYCLES_IN_COLUMN = 63;

/** Where the bit of a cycle is: `cycles_0` has those of the first 63. */
export function placeOf(cycleNo: number): { column: string; bit: number } {
  return { column: `cycles_${Math.floor(cycleNo / CYCLES_IN_COLUMN)}`, bit: cycleNo % CYCLES_IN_COLUMN };
}

/** The columns of some cycles among all, for `makeTableOf`: in the row of a cycle, only its own bit is set. */
export function cycleColumns(cycleNos: readonly number[], cycleCount: number) {
  const columns = Array.from({ length: cycleCount }, (_, cycleNo) => placeOf(cycleNo).column);
  const bitsIn = (column: string) =>
    cycleNos.map(placeOf).map((place) => (place.column === column ? String(1n << BigInt(place.bit)) : '0'));
  return Object.fromEntries(
    columns.map((column) => [column, { type: 'bigint' as const, values: bitsIn(column) }]),
  );
}
