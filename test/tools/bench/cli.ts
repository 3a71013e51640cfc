import { Command } from 'commander';
import { runCommand } from '../../../lib/cli.ts';
import { arrivalsBench } from './gateway/arrivals.ts';
import { gatewayBench } from './gateway/command.ts';
import { memoryBench } from './gateway/memory.ts';
import { importBench } from './import/command.ts';
import { ingestBench } from './ingest/command.ts';
import { scaleBench } from './scale/command.ts';
import { shardsBench } from './shards/command.ts';
import { storeBench } from './store/command.ts';
import { verdictsBench } from './verdicts/command.ts';
import { verifyBench } from './verify.ts';
import { weeklyBench } from './weekly/command.ts';
import { weeksBench } from './weeks/command.ts';

function benchCommand(): Command {
  return new Command('bench')
    .description(
      'Benchmarks: each compares Sightline with a baseline and its objectives, on this machine (docs/performance.md).',
    )
    .addCommand(gatewayBench())
    .addCommand(arrivalsBench())
    .addCommand(memoryBench())
    .addCommand(scaleBench())
    .addCommand(storeBench())
    .addCommand(verifyBench())
    .addCommand(verdictsBench())
    .addCommand(importBench())
    .addCommand(ingestBench())
    .addCommand(weeklyBench())
    .addCommand(weeksBench())
    .addCommand(shardsBench());
}

await runCommand(benchCommand, process.argv);
