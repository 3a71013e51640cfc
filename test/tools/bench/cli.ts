import { Command } from 'commander';
import { runCommand } from '../../../lib/cli.ts';
import { arrivalsBench } from './gateway/arrivals.ts';
import { gatewayBench } from './gateway/command.ts';
import { ingestBench } from './ingest/command.ts';
import { verdictsBench } from './verdicts/command.ts';
import { weeklyBench } from './weekly/command.ts';
import { weeksBench } from './weeks/command.ts';

function benchCommand(): Command {
  return new Command('bench')
    .description(
      'Benchmarks: each compares Sightline with a baseline and its objectives, on this machine (docs/performance.md).',
    )
    .addCommand(gatewayBench())
    .addCommand(arrivalsBench())
    .addCommand(verdictsBench())
    .addCommand(ingestBench())
    .addCommand(weeklyBench())
    .addCommand(weeksBench());
}

await runCommand(benchCommand, process.argv);
