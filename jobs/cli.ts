import { Command } from 'commander';
import { runCommand } from '../lib/cli.ts';
import { ingestCommand } from './ingest/command.ts';
import { weeklyCommand } from './weekly/command.ts';

const program = new Command('job')
  .description(
    'Sightline: everything that writes. A drop goes into the lake, the weekly job publishes snapshots.',
  )
  .addCommand(ingestCommand())
  .addCommand(weeklyCommand());

await runCommand(program, process.argv);
