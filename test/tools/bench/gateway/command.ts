import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../../../jobs/options.ts';
import { Failure } from '../../../../lib/failure.ts';
import { makeFixture } from './fixture.ts';
import type { Fixture } from './fixture.ts';
import { judge, missedObjectives, printReport } from './report.ts';
import { measureRound } from './round.ts';
import type { Sample } from './round.ts';
import { contenders } from './servers.ts';
import { demandWrk } from './wrk.ts';

interface Options {
  seconds: number;
  rounds: number;
  connections: number;
  only?: string[];
  json: boolean;
}

export function gatewayBench(): Command {
  return new Command('gateway')
    .description(
      'Requests per second of the gateway, a bare Fastify route and nginx, in turns, with the same body and load generator (wrk).',
    )
    .option('--seconds <n>', 'length of one measurement', wholeNumber(1), 5)
    .option('--rounds <n>', 'measurements of each; the median counts', wholeNumber(1), 3)
    .option('--connections <n>', 'connections of the load generator', wholeNumber(1), 64)
    .option('--only <names...>', 'measure only these servers; bare always runs')
    .option('--json', 'print JSON', false)
    .action(async (options: Options) => await withFixture((fixture) => run(options, fixture)));
}

/** Works with a fixture in a folder that is removed afterwards. */
export async function withFixture(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  demandWrk();
  const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'));
  try {
    await using fixture = await makeFixture(folder);
    await work(fixture);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run({ seconds, rounds, connections, only, json }: Options, fixture: Fixture): Promise<void> {
  const chosen = contenders.filter(({ name }) => name === 'bare' || (only?.includes(name) ?? true));
  const samples: Sample[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const contender of chosen) {
      const sample = await measureRound(contender, fixture, seconds, connections);
      if (sample === null) continue;
      process.stderr.write(`round ${round}: ${sample.name} ${Math.round(sample.rate)}/s\n`);
      samples.push(sample);
    }
  }
  const judgements = judge(samples);
  printReport(judgements, { connections, seconds, rounds }, json);
  const wrong = judgements.filter((each) => each.wrong > 0);
  if (wrong.length > 0)
    throw new Failure(`wrong answers: ${wrong.map((each) => `${each.name} ${each.wrong}`).join(', ')}`);
  // The objectives are for 64 connections: other numbers are measured to compare them.
  const missed = connections === 64 ? missedObjectives(judgements) : [];
  if (missed.length > 0) throw new Failure(missed.join('; '));
}
