import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { printTable } from '../../../../lib/cli.ts';
import { Failure } from '../../../../lib/failure.ts';
import { freePort } from '../../../support/free-port.ts';
import { fillStore } from './full-cache.ts';
import { whole } from './options.ts';
import { usageOf } from './process-usage.ts';
import { gatewayWith, stopped, untilReady } from './servers.ts';

interface Options {
  minutes: number;
  connections: number;
  json: boolean;
}

const SAMPLES = 40;

export function memoryBench(): Command {
  return new Command('gateway-memory')
    .description(
      'Resident memory of a gateway (records in SQLite) under load, with its cache of 64 MB full of documents of 6 KB; needs wrk.',
    )
    .option('--minutes <n>', 'length of the load', whole, 10)
    .option('--connections <n>', 'connections of the load generator', whole, 64)
    .option('--json', 'print JSON', false)
    .action(run);
}

async function run({ minutes, connections, json }: Options): Promise<void> {
  if (spawnSync('wrk', ['-v']).error !== undefined)
    throw new Failure('this needs wrk, which is not installed');
  const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'));
  try {
    const filled = await fillStore(folder);
    await promisify(execFile)('npm', ['run', 'pregateway']); // caches code without types before the first start
    const port = await freePort();
    const child = gatewayWith(filled, port);
    try {
      const base = `http://127.0.0.1:${port}`;
      await untilReady(`${base}${filled.first.path}`, filled.first.key, filled.first.body, child);
      for (const { key, path } of filled.asks) {
        const answer = await fetch(`${base}${path}`, { headers: { 'x-api-key': key } });
        if (answer.status !== 200) throw new Failure(`${path} answers ${answer.status}`);
        await answer.arrayBuffer();
      }
      const load = startLoad(base, minutes, connections, filled.asksFile);
      const megabytes: number[] = [];
      for (let sample = 0; sample < SAMPLES; sample++) {
        await sleep((minutes * 60_000) / SAMPLES);
        const usage = await usageOf(child.pid!, []);
        if (usage === null) throw new Failure('this system does not tell the memory of a process');
        megabytes.push(Math.round(usage.residentBytes / 1e6));
        process.stderr.write(`${megabytes.at(-1)} MB\n`);
      }
      report(megabytes, { minutes, documents: filled.asks.length, ...(await load) }, json);
    } finally {
      await stopped(child);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startLoad(base: string, minutes: number, connections: number, asksFile: string) {
  const script = fileURLToPath(new URL('./spread.lua', import.meta.url));
  const options = ['-t1', `-c${connections}`, `-d${minutes * 60}s`, '-s', script, base, '--', asksFile];
  const child = spawn('wrk', options, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = /^JSON (.*)$/m.exec(await text(child.stdout))?.[1];
  if (line === undefined) throw new Failure('wrk said nothing');
  return JSON.parse(line) as { requests: number; wrong: number };
}

/** The highest of each quarter of the time: growth would show from the second to the last. */
function report(
  megabytes: readonly number[],
  conditions: { wrong: number; [condition: string]: number },
  json: boolean,
): void {
  const quarter = SAMPLES / 4;
  const rows = [0, 1, 2, 3].map((n) => ({
    quarter: n + 1,
    'most MB': Math.max(...megabytes.slice(n * quarter, (n + 1) * quarter)),
  }));
  if (json) process.stdout.write(`${JSON.stringify({ conditions, megabytes }, null, 2)}\n`);
  else {
    printTable(rows);
    process.stdout.write(`${JSON.stringify(conditions)}\n`);
  }
  if (conditions.wrong > 0) throw new Failure(`${conditions.wrong} wrong answers`);
}
