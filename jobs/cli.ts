import { Command } from 'commander';
import { runCommand } from '../lib/cli.ts';
import { demoCommand } from './demo/command.ts';
import { exportCommand } from './export/command.ts';
import { importCommand } from './import/command.ts';
import { ingestCommand } from './ingest/command.ts';
import { objectsCommand } from './lake/objects-command.ts';
import { removeCommand } from './remove/command.ts';
import { scheduleCommand } from './schedule/command.ts';
import { recomputeCommand } from './weekly/recompute-command.ts';
import { weeklyCommand } from './weekly/command.ts';

function jobCommand(): Command {
  return new Command('job')
    .description('Sightline: ingests measurements into the lake, and publishes weekly snapshots from it.')
    .addCommand(demoCommand())
    .addCommand(importCommand())
    .addCommand(ingestCommand())
    .addCommand(weeklyCommand())
    .addCommand(scheduleCommand())
    .addCommand(exportCommand())
    .addCommand(removeCommand())
    .addCommand(recomputeCommand())
    .addCommand(objectsCommand(), { hidden: true });
}

/** Runs a command line, `argv` as in `process.argv`. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  return await runCommand(jobCommand, argv);
}

if (import.meta.main) await main(process.argv);
