import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { wholeNumber } from '../../../jobs/options.ts';
import { runCommand } from '../../../lib/cli.ts';
import { Failure } from '../../../lib/failure.ts';
import { seededRandom } from '../../support/random.ts';
import { stepsOf, testsOf } from './tests.ts';
import { projectFiles, textOf } from '../../house/files.ts';
import { Copy } from './run.ts';
import { mutantsOf } from './sites.ts';
import type { Mutant } from './sites.ts';

interface Options {
  tests?: string[];
  folder: string[];
  count: number;
  seed: number;
}

function mutantsCommand(): Command {
  return new Command('mutants')
    .description(
      'Makes small random changes in a copy of the project, such as < for <=, one at a time, and runs the tests of the changed folder. A change that no test finds is a missing test, or changes nothing that matters.',
    )
    .option('--folder <folder...>', 'where to change something', Object.keys(testsOf))
    .option('--tests <file...>', 'only prints the commands that run the tests of these files')
    .option('--count <n>', 'number of changes, evenly over the folders', wholeNumber(1), 20)
    .option('--seed <n>', 'repeats the changes of an earlier run', wholeNumber(0), randomInt(1_000_000))
    .action(run);
}

async function run({ folder: folders, tests, count, seed }: Options): Promise<void> {
  if (tests !== undefined) {
    process.stdout.write(`${tests.flatMap(commandsOf).join('\n')}\n`);
    return;
  }
  process.stdout.write(`seed ${seed}\n`);
  const chosen = folders.flatMap((folder, index) => {
    const share = Math.floor((count + folders.length - 1 - index) / folders.length);
    return sample(folder, share, seededRandom(seed + index));
  });
  const copy = new Copy();
  process.once('exit', () => copy.remove());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  let found = 0;
  /** By the steps. */
  const limits: Record<string, number> = {};
  for (const mutant of chosen) {
    const steps = stepsOf(mutant.file);
    const limit = (limits[steps.join(' ')] ??= await timeLimit(copy, steps));
    const failed = await copy.test(mutant, steps, limit);
    if (failed !== null) found++;
    process.stdout.write(
      `${describe(mutant)}\n    ${failed === null ? 'NOT FOUND' : `found by: ${failed}`}\n`,
    );
  }
  process.stdout.write(`${found} of ${chosen.length} found (seed ${seed})\n`);
}

/** Different mutants of all files below a folder. */
function sample(folder: string, count: number, random: () => number): Mutant[] {
  const sources = projectFiles().filter(
    (file) => file.startsWith(`${folder}/`) && /\.(?:ts|sql)$/.test(file),
  );
  const all = sources.flatMap((file) => mutantsOf(file, textOf(file)));
  return Array.from(
    { length: Math.min(count, all.length) },
    () => all.splice(Math.floor(random() * all.length), 1)[0]!,
  );
}

/** The commands that run the tests of a file, the cheapest first. */
function commandsOf(file: string): string[] {
  return stepsOf(file).map((step) => `npx vitest run ${step.map(quoted).join(' ')}`);
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word}'`;
}

/** @returns seconds: four times what the slowest step takes without a change, and half a minute */
async function timeLimit(copy: Copy, steps: readonly string[][]): Promise<number> {
  let slowest = 0;
  for (const tests of steps) {
    const start = performance.now();
    const failed = await copy.firstFailure(tests, 3600);
    if (failed !== null) throw new Failure(`without a change, this fails: ${failed}`);
    slowest = Math.max(slowest, (performance.now() - start) / 1000);
  }
  return Math.ceil(slowest * 4 + 30);
}

/** The line with the change in it, as one line. */
function describe({ file, line, start, end, replacement }: Mutant): string {
  const text = textOf(file);
  const before = text.slice(start, end).replaceAll(/\s+/g, ' ');
  const whole = text.split('\n')[line - 1]!.trim();
  return `${file}:${line} ${before} → ${replacement || 'nothing'}   in: ${whole}`;
}

await runCommand(mutantsCommand, process.argv);
