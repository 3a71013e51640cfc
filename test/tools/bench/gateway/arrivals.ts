import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { printTable } from '../../../../lib/cli.ts';
import { Failure } from '../../../../lib/failure.ts';
import { freePort } from '../../../support/free-port.ts';
import { makeFixture } from './fixture.ts';
import type { Fixture } from './fixture.ts';
import { whole } from './options.ts';
import { contenders, stopped, untilReady } from './servers.ts';

interface Options {
  seconds: number;
  rounds: number;
  connections: number;
  json: boolean;
}

interface Waits {
  requests: number;
  /** Milliseconds from when a request was due. */
  p50: number;
  p99: number;
  wrong: number;
}

/** Until V8 has compiled both programs. */
const WARM_UP_SECONDS = 5;

export function arrivalsBench(): Command {
  return new Command('gateway-arrivals')
    .description(
      'Latency at a constant rate, half of the maximum rate of the gateway, compared with a bare Fastify route at the same rate.',
    )
    .option('--seconds <n>', 'length of one measurement', whole, 5)
    .option('--rounds <n>', 'measurements of each; the median counts', whole, 3)
    .option('--connections <n>', 'connections of the load generator', whole, 64)
    .option('--json', 'print JSON', false)
    .action(run);
}

async function run({ seconds, rounds, connections, json }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'));
  const keysFile = join(folder, 'keys');
  const rows = [];
  try {
    const fixture = await makeFixture(folder, 1, 1);
    try {
      for (const name of ['sqlite', 'postgres']) {
        const ask = (contender: string, rate: number | null) =>
          serving(fixture, contender, (url) =>
            waitsAt({ url, rate, warmUpSeconds: WARM_UP_SECONDS, seconds, connections, keysFile }),
          );
        const most = (await ask(name, null)).requests / seconds;
        const rate = Math.round(most / 2);
        const samples: Record<'own' | 'bare', Waits[]> = { own: [], bare: [] };
        for (let round = 0; round < rounds; round++) {
          for (const [whose, contender] of [
            ['bare', 'bare'],
            ['own', name],
          ] as const) {
            const sample = await ask(contender, rate);
            process.stderr.write(
              `round ${round + 1}: ${contender} at ${rate}/s p99 ${sample.p99.toFixed(2)} ms\n`,
            );
            samples[whose].push(sample);
          }
        }
        rows.push(rowOf(name, rate, samples));
      }
    } finally {
      await fixture.dispose();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else printTable(rows);
  if (rows.some(({ wrong }) => wrong > 0)) throw new Failure('there were wrong answers');
}

function rowOf(name: string, rate: number, { own, bare }: Record<'own' | 'bare', Waits[]>) {
  const median = (waits: readonly Waits[], which: 'p50' | 'p99') =>
    waits.map((wait) => wait[which]).toSorted((a, b) => a - b)[Math.floor(waits.length / 2)]!;
  const [ours, bares] = [median(own, 'p99'), median(bare, 'p99')];
  return {
    name,
    'requests/s': rate,
    'p50 ms': median(own, 'p50').toFixed(2),
    'p99 ms': ours.toFixed(2),
    'p99 ms of bare': bares.toFixed(2),
    'over bare': (ours - bares).toFixed(2),
    wrong: [...own, ...bare].reduce((sum, { wrong }) => sum + wrong, 0),
  };
}

async function serving<T>(fixture: Fixture, name: string, work: (url: string) => Promise<T>): Promise<T> {
  const port = await freePort();
  const child = await contenders.find((contender) => contender.name === name)!.start(fixture, port);
  try {
    const url = `http://127.0.0.1:${port}${fixture.current.path}`;
    const [key] = (await readFile(join(fixture.folder, 'keys'), 'utf8')).split('\n');
    await untilReady(url, key!, fixture.current.body, child!);
    return await work(url);
  } finally {
    await stopped(child!);
  }
}

async function waitsAt(load: Record<string, unknown>): Promise<Waits> {
  const program = fileURLToPath(new URL('./arrivals.program.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(load)]);
  return JSON.parse(stdout) as Waits;
}
