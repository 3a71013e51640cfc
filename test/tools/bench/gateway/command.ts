import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { Failure } from '../../../../lib/failure.ts';
import { makeFixture } from './fixture.ts';
import { pickGenerator } from './generator.ts';
import type { Load } from './generator.ts';
import { whole } from './options.ts';
import { judge, missedObjectives, printReport } from './report.ts';
import { measureRound } from './round.ts';
import type { Sample } from './round.ts';
import { contenders } from './servers.ts';

interface Options {
  seconds: number;
  rounds: number;
  connections: number;
  keys: number;
  workspaces?: number;
  history: number;
  only?: string[];
  json: boolean;
}

export function gatewayBench(): Command {
  return new Command('gateway')
    .description(
      'Requests per second of the gateway, a bare Fastify route, nginx, and one database statement per request, in turns, with the same body and load generator (wrk, otherwise autocannon).',
    )
    .option('--seconds <n>', 'length of one measurement', whole, 5)
    .option('--rounds <n>', 'measurements of each; the median counts', whole, 3)
    .option('--connections <n>', 'connections of the load generator', whole, 64)
    .option('--keys <n>', 'keys that take turns', whole, 1)
    .option('--workspaces <n>', 'workspaces of the keys (default: one for each key)', whole)
    .option(
      '--history <weeks>',
      'also measure current and oldest documents of a store with this number of weeks',
      whole,
      0,
    )
    .option('--only <names...>', 'measure only these servers; bare always runs')
    .option('--json', 'print JSON', false)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const { seconds, rounds, connections, keys, workspaces = keys, history, only, json } = options;
  if (workspaces > keys) throw new Failure(`${keys} keys cannot belong to ${workspaces} workspaces`);
  const generator = await pickGenerator();
  const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'));
  const load: Omit<Load, 'url'> = { seconds, connections, keysFile: join(folder, 'keys') };
  const samples: Sample[] = [];
  try {
    const fixture = await makeFixture(folder, keys, workspaces, history);
    const chosen = contenders.filter(({ name }) => name === 'bare' || (only?.includes(name) ?? true));
    try {
      for (let round = 0; round < rounds; round++) {
        for (const contender of chosen) {
          const sample = await measureRound(contender, fixture, generator, load);
          if (sample === null) continue;
          process.stderr.write(`round ${round + 1}: ${sample.name} ${Math.round(sample.rate)}/s\n`);
          samples.push(sample);
        }
      }
    } finally {
      await fixture.dispose();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const wrong = samples.filter((sample) => sample.wrong > 0);
  const conditions = { generator: generator.name, connections, keys, workspaces, history, seconds, rounds };
  const judgements = judge(samples);
  printReport(judgements, conditions, json);
  if (wrong.length > 0) {
    throw new Failure(`wrong answers: ${wrong.map((s) => `${s.name} ${s.wrong}`).join(', ')}`);
  }
  // The objectives are for many requests of one key: other conditions are measured to compare them.
  const missed = connections === 64 && keys === 1 ? missedObjectives(judgements) : [];
  if (missed.length > 0) throw new Failure(missed.join('; '));
}
