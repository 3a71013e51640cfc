import { printTable } from '../../../../lib/cli.ts';
import { Failure } from '../../../../lib/failure.ts';
import type { Measured } from './measure.ts';
import type { Objective } from './objectives.ts';

/** By what was measured. */
export type Round = Record<string, Measured>;

/**
 * Prints medians and objectives.
 * @param json further data to print, all as JSON; null: print tables
 * @throws Failure if an objective is missed
 */
export function report(rounds: readonly Round[], all: readonly Objective[], json: object | null): void {
  const rows = Object.keys(rounds[0]!).map((name) => {
    const of = (pick: (measured: Measured) => number | null) =>
      median(rounds.map((round) => pick(round[name]!)));
    return {
      name,
      seconds: of((m) => m.seconds)!,
      cpu: of((m) => m.cpuSeconds),
      peak: of((m) => m.peakBytes),
    };
  });
  const compared = all.filter(({ name, baseline }) =>
    [name, ...baseline].every((each) => each in rounds[0]!),
  );
  const ratios = compared.map(({ name, of, baseline, atMost }) => {
    const dividedIn = (round: Round) =>
      round[name]![of]! / (baseline.length === 0 ? 1 : sum(baseline.map((each) => round[each]![of]!)));
    const measured = median(rounds.map(dividedIn))!;
    return { name, of, baseline: baseline.join(' + '), measured, objective: atMost };
  });
  if (json === null) printTables(rows, ratios);
  else process.stdout.write(`${JSON.stringify({ options: json, rows, ratios })}\n`);
  const missed = ratios.filter(({ measured, objective }) => objective !== null && measured > objective);
  if (missed.length > 0)
    throw new Failure(
      `objectives missed: ${missed.map(({ name, of }) => `${name}, ${quantities[of]}`).join('; ')}`,
    );
}

type Row = { name: string; seconds: number; cpu: number | null; peak: number | null };

function printTables(rows: readonly Row[], ratios: readonly Ratio[]): void {
  printTable(
    rows.map(({ name, seconds, cpu, peak }) => ({
      name,
      seconds: seconds.toFixed(1),
      'CPU s': cpu?.toFixed(1) ?? null,
      'peak MB': peak === null ? null : Math.round(peak / 1e6),
    })),
  );
  process.stdout.write('\n');
  printTable(ratios.map(describe));
}

function describe({ name, of, baseline, measured, objective }: Ratio) {
  const say = (value: number) => (baseline === '' ? amountOf[of](value) : `${value.toFixed(2)} times`);
  return {
    name,
    of: quantities[of],
    beside: baseline,
    measured: say(measured),
    'at most': objective === null ? '' : say(objective),
    kept: objective === null ? '' : measured <= objective ? 'yes' : 'no',
  };
}

interface Ratio extends Omit<Objective, 'atMost' | 'baseline'> {
  baseline: string;
  measured: number;
  objective: number | null;
}

const quantities = { seconds: 'time', cpuSeconds: 'CPU', peakBytes: 'memory' };
const amountOf = {
  seconds: (value: number) => `${value.toFixed(1)} s`,
  cpuSeconds: (value: number) => `${value.toFixed(1)} CPU s`,
  peakBytes: (value: number) => `${Math.round(value / 1e6)} MB`,
};

function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
