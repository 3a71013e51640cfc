import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { demandObjectives } from '../objectives.ts';
import type { Objective } from '../objectives.ts';
import { emptyWork, prepareLake } from './lakes.ts';
import { measureProgram } from './measure.ts';
import { measureRounds, medianOf, ratioOf } from './rounds.ts';
import type { Round } from './rounds.ts';

interface Options {
  brands: number;
  cycles: number;
  rounds: number;
}

const DESCRIPTION =
  'Time and memory of the weekly job, and of the plain way: one pass over all raw runs. The plain way writes no JSON ' +
  'and publishes nothing, so it is compared with the job without publishing.';

export function weeklyBench(): Command {
  return new Command('weekly')
    .description(DESCRIPTION)
    .option('--brands <n>', 'brands of the lake', wholeNumber(1), 2000)
    .option('--cycles <n>', 'weekly cycles', wholeNumber(4), 12)
    .option('--rounds <n>', 'measurements of each; the median counts', wholeNumber(1), 3)
    .action(run);
}

/** The plain way takes all brands at once: 0.9 GiB with 200 brands and 12 cycles, so some 9 GiB with 2,000. */
const PLAIN_BRANDS = 500;
/** With fewer brands, the start of both programs decides. */
const COMPARED_BRANDS = 200;
const AS_OF = '2026-11-16T23:00:00Z';

async function run({ brands, cycles, rounds: count }: Options): Promise<void> {
  const lake = await prepareLake(brands, cycles);
  const rounds = await measureRounds(count, () => measureRound(lake, brands <= PLAIN_BRANDS));
  const peak = medianOf(rounds, 'week', 'peakBytes');
  const objectives: Objective[] = [{ name: 'week: memory, GiB', measured: peak / 2 ** 30, atMost: 2 }];
  if (brands >= COMPARED_BRANDS && brands <= PLAIN_BRANDS) {
    const ofPlain = ratioOf(rounds, 'week computed', 'plain way', 'cpuSeconds');
    objectives.push({ name: 'week computed: CPU, times the plain way', measured: ofPlain, atMost: 1.3 });
  }
  demandObjectives(objectives);
}

async function measureRound(lake: string, withPlainWay: boolean): Promise<Round> {
  const work = await emptyWork();
  // Each round publishes to a new store.
  await rm(join(lake, 'log'), { recursive: true, force: true });
  const program = (file: string, ...args: string[]) => measureProgram(work, file, args);
  const publish = ['weekly', '--lake', lake, '--store', join(work, 'store'), '--as-of', AS_OF];
  const week = await program('jobs/cli.ts', ...publish);
  const computed = await program('test/tools/bench/weekly/compute.program.ts', lake, AS_OF);
  if (!withPlainWay) return { week, 'week computed': computed };
  const plain = await program('test/tools/bench/weekly/plain.program.ts', lake, AS_OF, work);
  return { week, 'week computed': computed, 'plain way': plain };
}
