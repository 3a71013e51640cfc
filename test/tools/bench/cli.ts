import { Command } from 'commander';
import { runCommand } from '../../../lib/cli.ts';
import { arrivalsBench, gatewayBench } from './gateway/command.ts';
import { ingestBench } from './ingest/command.ts';
import { weeklyBench } from './weekly/command.ts';
import { weeksBench } from './weeks/command.ts';

function benchCommand(): Command {
  return new Command('bench')
    .description(
      'Benchmarks: each compares Sightline with a baseline on this machine (docs/performance.md), and exits with status 1 if an objective is missed.',
    )
    .addCommand(gatewayBench())
    .addCommand(arrivalsBench())
    .addCommand(ingestBench())
    .addCommand(weeklyBench())
    .addCommand(weeksBench());
}

// The library that starts PostgreSQL ends a process with status 0, unless it ends by itself.
process.exit(await runCommand(benchCommand, process.argv));
