import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { compareArrivals } from './arrivals.ts';
import { makeFixture } from './fixture.ts';
import type { Fixture } from './fixture.ts';
import { compareThroughput } from './throughput.ts';
import { demandWrk } from './wrk.ts';

export interface Options {
  /** Of one measurement. */
  seconds: number;
  rounds: number;
  connections: number;
}

export function gatewayBench(): Command {
  return commandFor(
    'gateway',
    'Requests per second of the gateway and of a bare Fastify route, in turns, with the same body and load generator (wrk).',
    compareThroughput,
  );
}

export function arrivalsBench(): Command {
  return commandFor(
    'gateway-arrivals',
    'Latency at a constant rate, half of the maximum rate of the gateway, compared with a bare Fastify route at the same rate.',
    compareArrivals,
  );
}

function commandFor(
  name: string,
  description: string,
  compare: (options: Options, fixture: Fixture) => Promise<void>,
): Command {
  return new Command(name)
    .description(description)
    .option('--seconds <n>', 'length of one measurement', wholeNumber(1), 5)
    .option('--rounds <n>', 'measurements of each server', wholeNumber(1), 3)
    .option('--connections <n>', 'connections of the load generator', wholeNumber(1), 64)
    .action(async (options: Options) => {
      demandWrk();
      const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'));
      try {
        await using fixture = await makeFixture(folder);
        await compare(options, fixture);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
}
