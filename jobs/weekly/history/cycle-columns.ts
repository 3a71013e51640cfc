/** A BIGINT has 63 bits and a sign. */
const CYCLES_IN_COLUMN = 63;

/** The column and bit of a cycle: `cycles_0` has those of the first 63. */
function placeOf(cycleNo: number): { column: string; bit: number } {
  return { column: `cycles_${Math.floor(cycleNo / CYCLES_IN_COLUMN)}`, bit: cycleNo % CYCLES_IN_COLUMN };
}

/** The columns of cycles, for `makeTableOf`: in the row of a cycle, only its own bit is set. */
export function cycleColumns(cycleNos: readonly number[]) {
  const places = cycleNos.map(placeOf);
  const columns = ['cycles_0', ...places.map(({ column }) => column)];
  const bitsIn = (column: string) =>
    places.map((place) => (place.column === column ? String(1n << BigInt(place.bit)) : '0'));
  return Object.fromEntries(
    columns.map((column) => [column, { type: 'bigint' as const, values: bitsIn(column) }]),
  );
}
