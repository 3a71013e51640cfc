import { addTo, record } from './histogram.ts';
import type { Histogram } from './histogram.ts';

/** What was measured of a load, or of the part that one process sent, which sends it to the main process as it is. */
export class Tally {
  /** Requests that were due. */
  due = 0;
  /** Requests that were written to a connection. */
  sent = 0;
  /** Requests that had to wait for a free connection, because the gateway had not responded on any. */
  waited = 0;
  /** Milliseconds from the first due time until the last request was sent or given up, and one more interval. */
  sendingMs = 0;
  /** Milliseconds from the due time of a request until the load tester took it up. */
  lag: Histogram = new Map();
  /** Milliseconds from due times to the ends of successes (200 and 304), by the second in which they were due. */
  seconds = new Map<number, Histogram>();
  /** The same by operation. */
  operations = new Map<string, Histogram>();
  /** The same of all other statuses: a refusal costs less than a document. */
  refusals: Histogram = new Map();
  statuses = new Map<string, number>();
  /** What was wrong with responses, or that there were none. */
  complaints = new Map<string, number>();
  /** The share of the time of sending in which the event loop was busy; of several processes the highest. */
  utilization = 0;
  cpuSeconds = 0;
}

/** Counts a response. `due` and `ms`: when it was due after the start, and its latency from then. */
export function countResponse(
  tally: Tally,
  { due, ms, operation, status }: { due: number; ms: number; operation: string; status: number },
): void {
  addTo(tally.statuses, [[String(status), 1]]);
  if (status === 200 || status === 304) {
    record(histogramOf(tally.seconds, Math.floor(due / 1000)), ms);
    record(histogramOf(tally.operations, operation), ms);
  } else record(tally.refusals, ms);
}

/** The sum of the parts of one load. */
export function sumOf(parts: readonly Tally[]): Tally {
  const sum = new Tally();
  for (const part of parts) {
    for (const name of ['due', 'sent', 'waited', 'cpuSeconds'] as const) sum[name] += part[name];
    for (const name of ['sendingMs', 'utilization'] as const) sum[name] = Math.max(sum[name], part[name]);
    for (const name of ['lag', 'refusals'] as const) addTo(sum[name], part[name]);
    for (const name of ['statuses', 'complaints'] as const) addTo(sum[name], part[name]);
    for (const [second, histogram] of part.seconds) addTo(histogramOf(sum.seconds, second), histogram);
    for (const [name, histogram] of part.operations) addTo(histogramOf(sum.operations, name), histogram);
  }
  return sum;
}

function histogramOf<Name>(histograms: Map<Name, Histogram>, name: Name): Histogram {
  const histogram = histograms.get(name) ?? new Map<number, number>();
  histograms.set(name, histogram);
  return histogram;
}
