import { randomInt } from 'node:crypto';
import { Command } from 'commander';
import { wholeNumber } from '../../../jobs/options.ts';
import { runCommand } from '../../../lib/cli.ts';
import { seededRandom } from '../../support/random.ts';
import { sourceFiles, stepsOf } from './tests.ts';
import { textOf } from '../../house/files.ts';
import { Copy } from './run.ts';
import { mutantsOf } from './sites.ts';
import type { Mutant } from './sites.ts';

interface Options {
  tests?: string[];
  folder?: string[];
  count: number;
  seed: number;
}

function mutantsCommand(): Command {
  return new Command('mutants')
    .description(
      'Makes small random changes in a copy of the project, such as < for <=, one at a time, and runs the tests of the changed folder. A change that no test finds is a missing test, or changes nothing that matters.',
    )
    .option('--folder <folder...>', 'where to change something (default: everywhere)')
    .option('--tests <file...>', 'only prints the commands that run the tests of these files')
    .option('--count <n>', 'number of changes', wholeNumber(1), 20)
    .option('--seed <n>', 'repeats the changes of an earlier run', wholeNumber(0), randomInt(1_000_000))
    .action(run);
}

/** An endless loop ends after this. The steps of `npm test` take a minute at most without a change, the others minutes. */
const SECONDS = { quick: 300, long: 1800 };

async function run({ folder: folders = [''], tests, count, seed }: Options): Promise<void> {
  if (tests !== undefined) {
    process.stdout.write(`${tests.flatMap(commandsOf).join('\n')}\n`);
    return;
  }
  const chosen = sample(folders, count, seededRandom(seed));
  const copy = new Copy();
  process.once('exit', () => copy.remove());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const found = { quick: 0, all: 0 };
  for (const mutant of chosen) {
    const steps = stepsOf(mutant.file);
    const quick = await copy.test(mutant, steps.slice(0, -1), SECONDS.quick);
    const failed = quick ?? (await copy.test(mutant, steps.slice(-1), SECONDS.long));
    if (quick !== null) found.quick++;
    if (failed !== null) found.all++;
    const where = quick === null ? 'only npm run test:all: ' : '';
    process.stdout.write(
      `${describe(mutant)}\n    ${failed === null ? 'NOT FOUND' : `found by ${where}${failed}`}\n`,
    );
  }
  process.stdout.write(
    `of ${chosen.length}, npm test found ${found.quick} and npm run test:all ${found.all} (seed ${seed})\n`,
  );
}

/** Different mutants of all files below the folders. */
function sample(folders: readonly string[], count: number, random: () => number): Mutant[] {
  const sources = sourceFiles().filter((file) => folders.some((folder) => file.startsWith(folder)));
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

/** The line with the change in it, as one line. */
function describe({ file, line, start, end, replacement }: Mutant): string {
  const text = textOf(file);
  const before = text.slice(start, end).replaceAll(/\s+/g, ' ');
  const whole = text.split('\n')[line - 1]!.trim();
  return `${file}:${line} ${before} → ${replacement || 'nothing'}   in: ${whole}`;
}

await runCommand(mutantsCommand, process.argv);
