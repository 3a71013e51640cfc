import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { demandObjectives, median, say } from '../objectives.ts';
import { MONDAY, emptyWork, prepareLake } from '../weekly/lakes.ts';
import { measureProgram } from '../weekly/measure.ts';
import { printMedians } from '../weekly/rounds.ts';
import type { Round } from '../weekly/rounds.ts';

const WEEKS = 9;
const WEEK_MS = 7 * 86_400_000;
/** In the data of this seed DuckDB once planned a week that took a hundred times as long. */
const SEED = 3;

/** `bench weeks`: the CPU time of each of nine weeks, one after the other. */
export function weeksBench(): Command {
  return new Command('weeks')
    .description(
      'CPU time of nine weeks in a row: DuckDB plans joins by estimates, which differ from week to week.',
    )
    .option('--brands <n>', 'brands of the lake', wholeNumber(1), 100)
    .action(run);
}

async function run({ brands }: { brands: number }): Promise<void> {
  // One cycle more: so the first week has one before it.
  const lake = await prepareLake(brands, WEEKS + 1, SEED);
  const weeks: Round = {};
  for (let age = WEEKS - 1; age >= 0; age--) {
    const asOf = new Date(Date.parse(`${MONDAY}T23:00:00Z`) - age * WEEK_MS).toISOString();
    say(`${asOf.slice(0, 10)} …`);
    const program = 'test/tools/bench/weekly/compute.program.ts';
    weeks[asOf.slice(0, 10)] = await measureProgram(await emptyWork(), program, [lake, asOf]);
  }
  printMedians([weeks]);
  const cpu = Object.values(weeks).map(({ cpuSeconds }) => cpuSeconds);
  demandObjectives([
    { name: 'the slowest week: CPU, times the median', measured: Math.max(...cpu) / median(cpu), atMost: 3 },
  ]);
}
