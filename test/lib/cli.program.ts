import { tmpdir } from 'node:os';
import { Command } from 'commander';
import { progressBar, runCommand } from '../../lib/cli.ts';
import { Failure } from '../../lib/failure.ts';

// A command of each kind, for cli.test.ts to run as a process of its own.
const program = new Command('sample');
program.command('fail').action(() => {
  throw new Failure('file.ndjson cannot be read:\n  gone for good');
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
program.command('progress').action(() => {
  using bar = progressBar('counting');
  bar.start(2);
  bar.increment();
});

await runCommand(() => program, process.argv);
