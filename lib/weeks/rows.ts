/** The key of the brand's row in its share of voice: a competitor may have its name, and a brand may be renamed. */
export const OWN_ROW = 'the brand';

export type Keyed<R> = Map<string, { row: R; index: number }>;

/** Rows by key. The second row with the same key gets the key `name (2)`. */
export function byKey<R>(rows: readonly R[], keyOf: (row: R) => string): Keyed<R> {
  const rowsByKey: Keyed<R> = new Map();
  for (const [index, row] of rows.entries()) {
    const key = keyOf(row);
    let unique = key;
    for (let copy = 2; rowsByKey.has(unique); copy++) unique = `${key} (${copy})`;
    rowsByKey.set(unique, { row, index });
  }
  return rowsByKey;
}

/** The rows of a share of voice. */
export function sharesByKey<R extends { name: string; isBrand: boolean }>(rows: readonly R[]): Keyed<R> {
  return byKey(rows, (row) => (row.isBrand ? OWN_ROW : row.name));
}
