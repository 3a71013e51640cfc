import { printTable } from '../../../../lib/cli.ts';
import { Failure } from '../../../../lib/failure.ts';
import type { Measured } from './measure.ts';

/** By what was measured. */
export type Round = Record<string, Measured>;

type Quantity = 'seconds' | 'cpuSeconds' | 'peakBytes';

/** What a measurement may take. */
export interface Objective {
  name: string;
  of: Quantity;
  /** The measurement by which it is divided; null: it is compared directly. */
  baseline: string | null;
  /** A ratio, or seconds or bytes; null if there is no objective at this size. */
  atMost: number | null;
}

type Ratio = Objective & { measured: number };

/**
 * Prints medians and objectives.
 * @param json further data to print, all as JSON; null: print tables
 * @throws Failure if an objective is missed
 */
export function report(rounds: readonly Round[], all: readonly Objective[], json: object | null): void {
  const names = Object.keys(rounds[0]!);
  const rows = names.map((name) => {
    const of = (what: Quantity) => median(rounds.map((round) => round[name]![what]));
    return { name, seconds: of('seconds'), cpu: of('cpuSeconds'), peak: of('peakBytes') };
  });
  const ratios = all
    .filter(({ baseline }) => baseline === null || names.includes(baseline))
    .map((objective): Ratio => {
      const { name, of, baseline } = objective;
      const ratioOf = (round: Round) => round[name]![of] / (baseline === null ? 1 : round[baseline]![of]);
      return { ...objective, measured: median(rounds.map(ratioOf)) };
    });
  if (json === null) printTables(rows, ratios);
  else process.stdout.write(`${JSON.stringify({ options: json, rows, ratios })}\n`);
  const missed = ratios.filter((ratio) => !isKept(ratio));
  if (missed.length > 0)
    throw new Failure(
      `objectives missed: ${missed.map(({ name, of }) => `${name}, ${quantities[of]}`).join('; ')}`,
    );
}

function printTables(
  rows: readonly Record<'seconds' | 'cpu' | 'peak' | 'name', string | number>[],
  ratios: readonly Ratio[],
): void {
  printTable(
    rows.map(({ name, seconds, cpu, peak }) => ({
      name,
      seconds: Number(seconds).toFixed(1),
      'CPU s': Number(cpu).toFixed(1),
      'peak MB': Math.round(Number(peak) / 1e6),
    })),
  );
  process.stdout.write('\n');
  printTable(ratios.map(cellsOf));
}

function cellsOf(ratio: Ratio) {
  const { name, of, baseline, measured, atMost } = ratio;
  const say = (value: number) => (baseline === null ? amountOf[of](value) : `${value.toFixed(2)} times`);
  return {
    name,
    of: quantities[of],
    'compared with': baseline ?? '',
    measured: say(measured),
    'at most': atMost === null ? '' : say(atMost),
    kept: atMost === null ? '' : isKept(ratio) ? 'yes' : 'no',
  };
}

function isKept({ measured, atMost }: Ratio): boolean {
  return atMost === null || measured <= atMost;
}

const quantities = { seconds: 'time', cpuSeconds: 'CPU', peakBytes: 'memory' };
const amountOf = {
  seconds: (value: number) => `${value.toFixed(1)} s`,
  cpuSeconds: (value: number) => `${value.toFixed(1)} CPU s`,
  peakBytes: (value: number) => `${Math.round(value / 1e6)} MB`,
};

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
