import { printTable } from '../../../lib/cli.ts';
import type { Ramp } from './ramp.ts';
import type { Report } from './report.ts';
import { percent, whole } from './verdict.ts';

export function printReport(report: Report): void {
  const { rate, wantedRate, latency, refusals, tester, gateway, complaints } = report;
  printTable(report.byOperation.map((row) => ({ ...row, p50: ms(row.p50), p99: ms(row.p99) })));
  say(`\n${whole(report.requests)} requests, ${whole(rate)} a second of ${whole(wantedRate)} wanted`);
  say(`statuses: ${pairs(report.statuses, ' × ', String)}`);
  say(`milliseconds of 200 and 304: ${pairs(latency, ' ', ms)}`);
  if (refusals.requests > 0) say(`milliseconds of other responses: ${pairs(refusals.latency, ' ', ms)}`);
  say(
    `load tester: lag of sending (p99) ${ms(tester.lag)} ms, event loop ${percent(tester.utilization)} busy, ${ms(tester.cpuMsPerRequest)} ms of CPU per request`,
  );
  say(
    typeof gateway === 'string'
      ? `gateway: CPU not known (${gateway})`
      : `gateway: ${ms(gateway.cpuMsPerRequest)} ms of CPU per request, ${percent(gateway.cpuShare)} of a core`,
  );
  for (const { complaint, times } of complaints) say(`wrong: ${complaint} (${times} times)`);
  for (const { objective, held } of report.objectives) {
    say(`${held === null ? 'not judged' : held ? 'held' : 'MISSED'}: ${objective}`);
  }
  say(report.passed ? 'passed' : `FAILED: ${report.reason}`);
}

export function printRamp({ steps, highest, reason }: Ramp): void {
  printTable(
    steps.map(({ wantedRate, rate, latency, tester, passed, limit }) => ({
      wanted: whole(wantedRate),
      sent: whole(rate),
      p50: ms(latency.p50),
      p99: ms(latency.p99),
      lag: ms(tester.lag),
      objectives: passed ? 'held' : `missed (${limit})`,
    })),
  );
  say(
    highest === null
      ? `\nFAILED: no rate kept the objectives; ${reason}`
      : `\n${whole(highest)} a second is the highest rate that kept the objectives; above it, ${reason}`,
  );
}

function pairs<Value>(
  values: Record<string, Value>,
  between: string,
  text: (value: Value) => string,
): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${between}${text(value)}`)
    .join(', ');
}

function ms(value: number): string {
  return value.toFixed(2);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
