import { Command } from 'commander';
import { runCommand } from '../lib/cli.ts';
import { demoCommand } from './demo/command.ts';
import { exportCommand } from './export/command.ts';
import { importCommand } from './import/command.ts';
import { ingestCommand } from './ingest/command.ts';
import { scheduleCommand } from './schedule/command.ts';
import { recomputeCommand } from './weekly/recompute-command.ts';
import { weeklyCommand } from './weekly/command.ts';

await runCommand(
  () =>
    new Command('job')
      .description(
        'Sightline: everything that writes. Drops go into the lake, the weekly job publishes snapshots.',
      )
      .addCommand(demoCommand())
      .addCommand(importCommand())
      .addCommand(ingestCommand())
      .addCommand(weeklyCommand())
      .addCommand(scheduleCommand())
      .addCommand(exportCommand())
      .addCommand(recomputeCommand()),
  process.argv,
);
