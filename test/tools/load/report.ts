import { printTable } from '../../../lib/cli.ts';
import type { LoadOptions, Outcome } from './types.ts';

export interface Report {
  requests: number;
  /** Responses per second, from the first due time to the last response. */
  rate: number;
  wantedRate: number;
  statuses: Record<string, number>;
  /** Milliseconds from the due time of a request to the end of its response. */
  latency: Record<'p50' | 'p90' | 'p99' | 'p99.9' | 'max', number>;
  byOperation: { operation: string; requests: number; p50: number; p99: number }[];
  wrong: number;
  /** The first complaints, with their numbers. */
  complaints: { complaint: string; times: number }[];
  objectives: { objective: string; measured: number; held: boolean }[];
  passed: boolean;
}

export function summarize(outcomes: readonly Outcome[], options: LoadOptions): Report {
  const times = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const wrong = outcomes.filter(({ complaint }) => complaint !== null);
  const latency = {
    p50: percentile(times, 0.5),
    p90: percentile(times, 0.9),
    p99: percentile(times, 0.99),
    'p99.9': percentile(times, 0.999),
    max: times.at(-1) ?? 0,
  };
  const seconds = Math.max(options.duration, (outcomes.length - 1) / options.rate + latency.max / 1000);
  const objectives = [
    {
      objective: `wrong answers at most ${options.errors * 100} %`,
      measured: wrong.length / outcomes.length,
      limit: options.errors,
    },
    ...(['p50', 'p99'] as const).flatMap((name) => {
      const limit = options[name];
      return limit === undefined
        ? []
        : [{ objective: `${name} within ${limit} ms`, measured: latency[name], limit }];
    }),
  ].map(({ objective, measured, limit }) => ({ objective, measured, held: measured <= limit }));
  return {
    requests: outcomes.length,
    rate: outcomes.length / seconds,
    wantedRate: options.rate,
    statuses: Object.fromEntries(
      [...Map.groupBy(outcomes, ({ status }) => String(status))].map(([status, all]) => [status, all.length]),
    ),
    latency,
    byOperation: [...Map.groupBy(outcomes, ({ operation }) => operation)].map(([operation, all]) => {
      const own = all.map(({ ms }) => ms).toSorted((a, b) => a - b);
      return { operation, requests: all.length, p50: percentile(own, 0.5), p99: percentile(own, 0.99) };
    }),
    wrong: wrong.length,
    complaints: [...Map.groupBy(wrong, ({ complaint }) => complaint!)]
      .map(([complaint, all]) => ({ complaint, times: all.length }))
      .slice(0, 10),
    objectives,
    passed: objectives.every(({ held }) => held),
  };
}

/** The percentile: the smallest value that this share of the sorted values does not exceed. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

export function printVerdict(report: Report, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  printTable(report.byOperation.map((row) => ({ ...row, p50: spelled(row.p50), p99: spelled(row.p99) })));
  say(`\n${report.requests} requests, ${report.rate.toFixed(0)} a second of ${report.wantedRate} wanted`);
  say(
    `statuses: ${Object.entries(report.statuses)
      .map(([status, times]) => `${status} × ${times}`)
      .join(', ')}`,
  );
  say(
    `milliseconds: ${Object.entries(report.latency)
      .map(([name, value]) => `${name} ${spelled(value)}`)
      .join(', ')}`,
  );
  for (const { complaint, times } of report.complaints) say(`wrong: ${complaint} (${times} times)`);
  for (const { objective, held } of report.objectives) say(`${held ? 'held' : 'MISSED'}: ${objective}`);
  say(report.passed ? 'passed' : 'FAILED');
}

function spelled(value: number): string {
  return value.toFixed(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
