import { Command } from 'commander';
import { addCommands, runCommand } from '../lib/cli.ts';
import type { Loaders } from '../lib/cli.ts';

const commands: Loaders = {
  demo: async (job) => job.addCommand((await import('./demo/command.ts')).demoCommand()),
  import: async (job) => job.addCommand((await import('./import/command.ts')).importCommand()),
  ingest: async (job) => job.addCommand((await import('./ingest/command.ts')).ingestCommand()),
  weekly: async (job) => job.addCommand((await import('./weekly/command.ts')).weeklyCommand()),
  schedule: async (job) => job.addCommand((await import('./schedule/command.ts')).scheduleCommand()),
  export: async (job) => job.addCommand((await import('./export/command.ts')).exportCommand()),
  remove: async (job) => job.addCommand((await import('./remove/command.ts')).removeCommand()),
  recompute: async (job) =>
    job.addCommand((await import('./weekly/recompute-command.ts')).recomputeCommand()),
  objects: async (job) =>
    job.addCommand((await import('./lake/objects-command.ts')).objectsCommand(), { hidden: true }),
};

/** Runs a command line, `argv` as in `process.argv`. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  const job = new Command('job').description(
    'Sightline: ingests measurements into the lake, and publishes weekly snapshots from it.',
  );
  return await runCommand(async () => await addCommands(job, commands, argv), argv);
}

if (import.meta.main) await main(process.argv);
