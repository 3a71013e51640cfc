/** The most bytes of JSON in the structured content of a result. */
export const MAX_BYTES = 100_000;

/** What stays of a list of rows. */
export interface Page {
  offset: number;
  shown: number;
  total: number;
}

export interface Cut<Data> {
  data: Data;
  /** Rows of the list that stay; null if nothing is a list of rows. */
  shown: number | null;
  /** True if lists or texts inside of what stays are shorter than they were. */
  isShortened: boolean;
}

export interface Cuttable<Data> {
  data: Data;
  /** How many rows its list has; null if it is no list. */
  rows: number | null;
  /** The same with the first rows only. */
  withRows: (count: number) => Data;
}

/**
 * As much of the data as fits: first fewer rows; then, of one row, the beginnings of the lists in it; then the
 * beginnings of its texts.
 * @param fits true if a result with this data and this page is short enough
 */
export function cutToFit<Data>(
  { data, rows, withRows }: Cuttable<Data>,
  fits: (candidate: Cut<Data>) => boolean,
): Cut<Data> {
  const whole = { data, shown: rows, isShortened: false };
  if (fits(whole)) return whole;
  const withFewer = (count: number) => ({ data: withRows(count), shown: count, isShortened: false });
  const count = rows === null ? 0 : largest(rows - 1, (n) => fits(withFewer(n)));
  if (count > 0) return withFewer(count);
  const least = rows === null ? whole : withFewer(1);
  const shortenedTo = (items: number, characters: number) => ({
    data: shorten(least.data, items, characters) as Data,
    shown: least.shown,
    isShortened: true,
  });
  const items = largest(MAX_BYTES, (n) => fits(shortenedTo(n, Infinity)));
  if (items > 0) return shortenedTo(items, Infinity);
  return shortenedTo(
    1,
    largest(MAX_BYTES, (n) => fits(shortenedTo(1, n))),
  );
}

/** Bytes of a value as JSON in UTF-8. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The largest number from 1 to `max` that is good enough, if every smaller one is too; 0 if none is. */
function largest(max: number, isGood: (n: number) => boolean): number {
  let [low, high] = [0, Math.max(0, max)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isGood(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function shorten(value: unknown, items: number, characters: number): unknown {
  if (typeof value === 'string')
    return value.length <= characters ? value : `${value.slice(0, characters).toWellFormed()}…`;
  if (Array.isArray(value)) return value.slice(0, items).map((item) => shorten(item, items, characters));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shorten(inner, items, characters)]),
  );
}
