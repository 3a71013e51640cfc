/** Numbers of measurements by bucket. A bucket is 1 % wider than the one before, so percentiles are at most 1 % too high. */
export type Histogram = Map<number, number>;

const WIDTH = Math.log(1.01);
/** Milliseconds; the first bucket has everything below. */
const LEAST = 0.001;

/** The upper edge of a bucket, in milliseconds. */
export function edgeOf(bucket: number): number {
  return LEAST * Math.exp(bucket * WIDTH);
}

export function record(histogram: Histogram, ms: number): void {
  const bucket = ms <= LEAST ? 0 : Math.ceil(Math.log(ms / LEAST) / WIDTH);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

/** Of a histogram, or of numbers by name. */
export function countOf(numbers: ReadonlyMap<unknown, number>): number {
  return numbers.values().reduce((sum, times) => sum + times, 0);
}

/** The smallest edge that this share of the measurements does not exceed, in milliseconds; 0 without measurements. */
export function percentile(histogram: Histogram, share: number): number {
  let missing = Math.max(1, Math.ceil(countOf(histogram) * share));
  for (const [bucket, times] of sorted(histogram)) {
    missing -= times;
    if (missing <= 0) return edgeOf(bucket);
  }
  return 0;
}

/** The buckets in use, from the fastest to the slowest. */
export function sorted(histogram: Histogram): [bucket: number, times: number][] {
  return [...histogram].toSorted(([a], [b]) => a - b);
}

/** Adds numbers by name, or by bucket. */
export function addTo<Name>(sums: Map<Name, number>, more: Iterable<readonly [Name, number]>): void {
  for (const [name, times] of more) sums.set(name, (sums.get(name) ?? 0) + times);
}
