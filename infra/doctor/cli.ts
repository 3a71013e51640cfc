import { Command, Option } from 'commander';
import { formatTable, runCommand } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { counted } from '../../lib/weeks/names.ts';
import { readConfig } from '../../lib/config.ts';
import { openStore } from '../../lib/store/open.ts';
import type { Finding } from './finding.ts';
import { examineInstalled } from './installed/examine.ts';
import { asTypedHere, installedHere } from './installed/place.ts';
import { run } from './installed/run.ts';
import { examineMachine } from './machine.ts';
import { examinePart, partNames } from './parts.ts';
import type { Part } from './parts.ts';

interface Options {
  only?: (Part | 'machine')[];
  probeWrites?: true;
  json?: true;
}

const names = ['machine', ...partNames] as const;

function doctorCommand(): Command {
  return new Command('doctor')
    .description('Checks everything that Sightline depends on, and says what is wrong and how to fix it.')
    .addOption(
      new Option('--only <part...>', 'only these parts, if the others are on another machine').choices(names),
    )
    .option('--probe-writes', 'check that an S3 server supports conditional writes; writes a probe object')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', HELP)
    .action(async ({ only = [...names], probeWrites, json }: Options) => {
      const findings = await findAll(only, probeWrites === true);
      const failures = findings.filter(({ state }) => state === 'failure');
      const isHealthy = failures.length === 0;
      if (json) process.stdout.write(`${JSON.stringify({ isHealthy, findings })}\n`);
      else process.stdout.write(pageOf(findings));
      if (!isHealthy) process.exitCode = failures.every((each) => each.isUnreachable === true) ? 3 : 1;
    });
}

const HELP = `
The doctor only reads. With --probe-writes it also writes .conditional-writes below the store's prefix, as every job does,
and leaves it there. The exit status is 0 if there are only warnings, 1 if something failed, 3 if all that failed is that
a part cannot be reached. It reads the same settings as the other programs.`;

async function findAll(only: readonly string[], probeWrites: boolean): Promise<Finding[]> {
  const machine = await examineMachine();
  if (machine.some(({ state }) => state === 'failure')) return machine.map(inWordsOfHere);
  const [config, installed] = [readConfig(), installedHere()];
  // Nobody closes them: the program ends, and idle connections do not keep it.
  const [store, lake] = [openStore(config.STORE_URL), openStore(config.LAKE_URL)];
  const findings = await Promise.all(
    names
      .filter((name) => only.includes(name))
      .map(async (name) => {
        if (name !== 'machine') return await examinePart(name, { config, probeWrites, store, lake });
        return installed === null ? [] : await examineInstalled(installed, systemClock, run);
      }),
  );
  return [...machine, ...findings.flat()].map(inWordsOfHere);
}

function inWordsOfHere(finding: Finding): Finding {
  const { found, remedy } = finding;
  return { ...finding, found: asTypedHere(found), remedy: remedy === null ? null : asTypedHere(remedy) };
}

const signs: Record<Finding['state'], string> = {
  ok: '✓ ok',
  skipped: '· skipped',
  warning: '! warning',
  failure: '✗ failure',
};

function pageOf(findings: readonly Finding[]): string {
  const table = findings.map(({ subject, state, found }) => ({ subject, state: signs[state], found }));
  const due = findings.filter(({ remedy }) => remedy !== null);
  const remedies = new Set(due.map(({ subject, remedy }) => `  ${subject}: ${remedy}\n`));
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const verdict = `${count('failure')} failed, ${counted(count('warning'), 'warning')}, ${count('ok')} ok\n`;
  return [
    formatTable(table),
    ...(due.length === 0 ? [] : ['\nWhat to do:\n', ...remedies]),
    `\n${verdict}`,
  ].join('');
}

/** Runs a command line, `argv` as in `process.argv`. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  return await runCommand(doctorCommand, argv);
}

if (import.meta.main) await main(process.argv);
