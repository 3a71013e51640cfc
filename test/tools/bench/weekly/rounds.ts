import { printTable } from '../../../../lib/cli.ts';
import { median, say } from '../objectives.ts';
import type { Measured } from './measure.ts';

/** By what was measured. */
export type Round = Record<string, Measured>;

/** Measures several rounds, and prints the medians. */
export async function measureRounds(count: number, measure: () => Promise<Round>): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round++) {
    say(`round ${round} of ${count} …`);
    rounds.push(await measure());
  }
  printMedians(rounds);
  return rounds;
}

type Quantity = 'seconds' | 'cpuSeconds' | 'peakBytes';

export function printMedians(rounds: readonly Round[]): void {
  printTable(
    Object.keys(rounds[0]!).map((name) => ({
      name,
      seconds: medianOf(rounds, name, 'seconds').toFixed(1),
      'CPU s': medianOf(rounds, name, 'cpuSeconds').toFixed(1),
      'peak MB': Math.round(medianOf(rounds, name, 'peakBytes') / 1e6),
    })),
  );
}

export function medianOf(rounds: readonly Round[], name: string, of: Quantity): number {
  return median(rounds.map((round) => round[name]![of]));
}

/** The median of the rounds' ratios: both programs of a round met the same machine. */
export function ratioOf(rounds: readonly Round[], name: string, baseline: string, of: Quantity): number {
  return median(rounds.map((round) => round[name]![of] / round[baseline]![of]));
}
