import { printTable } from '../../../../lib/cli.ts';
import type { Measured } from './measure.ts';

/** By what was measured. */
export type Round = Record<string, Measured>;

/** Another lake that the week is measured beside. */
export interface Beside {
  besideBrands?: number;
  besideCycles?: number;
}

export interface Objective {
  name: string;
  of: 'seconds' | 'cpuSeconds' | 'peakBytes';
  /** What it is divided by, taken together. */
  floor: readonly string[];
  atMost: number | null;
}

/** Publishing to S3 counts where there is a server. */
export const objectives: readonly Objective[] = [
  { name: 'full', of: 'cpuSeconds', floor: ['read all'], atMost: null },
  { name: 'week', of: 'cpuSeconds', floor: ['read window'], atMost: null },
  { name: 'week', of: 'cpuSeconds', floor: ['plain way'], atMost: 0.5 },
  { name: 'publish', of: 'seconds', floor: ['copy'], atMost: 3 },
  { name: 'ingest', of: 'seconds', floor: ['convert'], atMost: 5 },
  { name: 'publish S3', of: 'seconds', floor: ['put S3'], atMost: null },
];

/** Of 104 cycles against 8, and of ten times the brands. */
export function objectivesBeside({ besideBrands }: Beside): Objective[] {
  const [seconds, memory] = besideBrands === undefined ? [1.4, 1.4] : [12, null];
  return [
    { name: 'week', of: 'cpuSeconds', floor: ['beside'], atMost: seconds },
    { name: 'week', of: 'peakBytes', floor: ['beside'], atMost: memory },
  ];
}

/** Prints medians and ratios. @param json what to print beside them as JSON; null: print tables */
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
  const compared = all.filter(({ name, floor }) => [name, ...floor].every((each) => each in rounds[0]!));
  const ratios = compared.map(({ name, of, floor, atMost }) => {
    const times = (round: Round) => round[name]![of]! / sum(floor.map((each) => round[each]![of]!));
    return { name, of, floor: floor.join(' + '), ratio: median(rounds.map(times))!, objective: atMost };
  });
  if (json !== null) {
    process.stdout.write(`${JSON.stringify({ options: json, rows, ratios })}\n`);
    return;
  }
  printTable(
    rows.map(({ name, seconds, cpu, peak }) => ({
      name,
      seconds: seconds.toFixed(1),
      'CPU s': cpu?.toFixed(1) ?? null,
      'peak MB': peak === null ? null : Math.round(peak / 1e6),
    })),
  );
  process.stdout.write('\n');
  printTable(
    ratios.map(({ of, ratio, ...row }) => ({
      ...row,
      of: quantities[of],
      ratio: ratio.toFixed(2),
    })),
  );
}

const quantities = { seconds: 'time', cpuSeconds: 'CPU', peakBytes: 'memory' };

function median(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null).toSorted((a, b) => a - b);
  return known[Math.floor(known.length / 2)] ?? null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
