/** The most bytes of JSON in a result. */
export const MAX_BYTES = 30_000;

/** The part of a list of rows that is in a result. */
export interface Page {
  offset: number;
  shown: number;
  total: number;
}

export interface Cut<Data> {
  data: Data;
  /** The number of rows in the result; null if the data has no list of rows. */
  shown: number | null;
  /** True if lists or texts inside the remaining data were shortened. */
  isShortened: boolean;
}

export interface Cuttable<Data> {
  data: Data;
  /** The number of rows of the list; null if there is no list. */
  rows: number | null;
  /** The data with only the first rows. */
  withRows: (count: number) => Data;
}

/**
 * As much of the data as fits. It first reduces the rows; if a single row is too long, it shortens the lists in it,
 * then its texts.
 * @param fits returns true if a result with this data and page is short enough
 */
export function cutToFit<Data>(
  { data, rows, withRows }: Cuttable<Data>,
  fits: (candidate: Cut<Data>) => boolean,
): Cut<Data> {
  const whole = { data, shown: rows, isShortened: false };
  if (fits(whole)) return whole;
  const withFewer = (count: number) => ({ data: withRows(count), shown: count, isShortened: false });
  const count = rows === null ? 0 : largest(rows, (n) => fits(withFewer(n)));
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

/** Binary search for the largest good number from 1 to `max`; 0 if there is none. */
function largest(max: number, isGood: (n: number) => boolean): number {
  let [low, high] = [0, max];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isGood(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function shorten(value: unknown, items: number, characters: number): unknown {
  if (typeof value === 'string') {
    const start = value.slice(0, characters);
    return start === value ? value : `${start.toWellFormed()}…`;
  }
  if (Array.isArray(value)) return value.slice(0, items).map((item) => shorten(item, items, characters));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shorten(inner, items, characters)]),
  );
}
