import { tmpdir } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { progressBar, runCommand } from '../../lib/cli.ts';
import { Failure, Unreachable, WrongSetting } from '../../lib/failure.ts';

// A command of each kind, for cli.test.ts to run as a process of its own.
function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

const program = new Command('sample');
program
  .command('work')
  .argument('<times>', 'how often', wholeNumber)
  .action((times: number, _, command: Command) => {
    if (times === 13) command.error('error: not thirteen');
    process.stdout.write(`worked ${times}\n`);
  });
program.command('fail').action(() => {
  throw new Failure('file.ndjson cannot be read:\n  gone for good');
});
program.command('wait').action(() => {
  const cause = new Unreachable('s3://bucket/ledger cannot be read');
  throw new Failure('the lake cannot be opened', { cause });
});
program.command('configure').action(() => {
  throw new WrongSetting('setting does not parse: PORT: expected a whole number');
});
program.command('break').action(() => {
  throw new TypeError('a defect');
});
program.command('fill').action(() => {
  throw new Error(
    `IO Error: Could not write file "${tmpdir()}/sightline-ingest-x/a.parquet": No space left on device`,
  );
});
program.command('fill-lake').action(() => {
  const copied = `copyfile '${tmpdir()}/sightline-ingest-x/a.parquet' -> '/lake/runs/a.parquet'`;
  throw new Failure(`/lake/runs/a.parquet cannot be written: ENOSPC: no space left on device, ${copied}`);
});
program.command('differ').action(() => {
  process.exitCode = 1;
});
program.command('progress').action(() => {
  using bar = progressBar('counting');
  bar.start(2);
  bar.increment();
});

await runCommand(() => program, process.argv);
