import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import pMap from 'p-map';
import { newKey } from '../../../../gateway/admission/keys.ts';
import { openSqliteRecords } from '../../../../gateway/records/sqlite/records.ts';
import { printTable } from '../../../../lib/cli.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { Failure } from '../../../../lib/failure.ts';
import { freePort } from '../../../gateway/postgres.ts';
import { until } from '../../../support/until.ts';
import { percentile } from '../../load/report.ts';
import { register } from '../gateway/fixture.ts';
import { whole } from '../gateway/options.ts';
import { usageOf } from '../gateway/process-usage.ts';
import { gatewayOn, stopped } from '../gateway/servers.ts';
import { serveWorkspaces } from './many-workspaces.ts';
import type { ManyWorkspaces } from './many-workspaces.ts';

interface Options {
  workspaces: number;
  brands: number;
  refreshSeconds: number;
  json: boolean;
}

/** The next refresh begins when the last has ended, so a window that is too short may see none. */
const REFRESH_WINDOWS = 3;
const CLIENTS = 8;

export function scaleBench(): Command {
  return new Command('scale')
    .description(
      'A gateway whose workspaces all ask within ten minutes: memory, reads of the store, and what the first request of a workspace takes. The store is an S3 server in memory.',
    )
    .option('--workspaces <n>', 'workspaces in use', whole, 10_000)
    .option('--brands <n>', 'brands of each', whole, 30)
    .option('--refresh-seconds <n>', 'POINTER_REFRESH_SECONDS of the gateway', whole, 60)
    .option('--json', 'print JSON', false)
    .action(run);
}

async function run({ json, ...options }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-bench-'));
  const store = await serveWorkspaces(options.workspaces, options.brands);
  try {
    const rows = await measure(folder, store, options);
    if (json) process.stdout.write(`${JSON.stringify({ options, rows }, null, 2)}\n`);
    else printTable(rows);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  folder: string,
  store: ManyWorkspaces,
  { refreshSeconds }: Pick<Options, 'refreshSeconds'>,
) {
  process.stderr.write('making keys …\n');
  const keys = await makeKeys(join(folder, 'records.db'), store.workspaceIds);
  const port = await freePort();
  const settings = { ...store.environment, POINTER_REFRESH_SECONDS: String(refreshSeconds) };
  const child = gatewayOn(settings, port, `sqlite:${join(folder, 'records.db')}`);
  try {
    const url = `http://127.0.0.1:${port}/api/v1/brands`;
    await until(async () => {
      if (child.exitCode !== null) throw new Failure('the gateway did not start');
      return await fetch(url).then(
        () => true,
        () => false,
      );
    }, 50);
    const round = async (name: string) => {
      process.stderr.write(`${name} …\n`);
      const before = store.requests();
      const times = await askEach(url, keys);
      const reads = (store.requests() - before) / keys.length;
      return {
        what: name,
        ...percentiles(times),
        'reads per request': reads.toFixed(2),
        MB: await megabytes(),
      };
    };
    const megabytes = async () => Math.round((await usageOf(child.pid!, []))!.residentBytes / 1e6);
    const atStart = await megabytes();
    const cold = await round('first request of each workspace');
    const warm = await round('second request');
    process.stderr.write('refreshing …\n');
    const before = { requests: store.requests(), at: performance.now() };
    const enough = before.requests + REFRESH_WINDOWS * keys.length;
    await until(() => store.requests() >= enough, 100);
    const minutes = (performance.now() - before.at) / 60_000;
    const perMinute = Math.round((store.requests() - before.requests) / minutes);
    const rest = { 'p50 ms': '', 'p99 ms': '', 'reads per request': '' };
    return [
      { what: 'before the first request', ...rest, MB: atStart },
      cold,
      warm,
      { what: `looking for newer snapshots: ${perMinute} reads a minute`, ...rest, MB: await megabytes() },
    ];
  } finally {
    await stopped(child);
  }
}

async function makeKeys(file: string, workspaceIds: readonly string[]): Promise<string[]> {
  const records = openSqliteRecords(file, { clock: systemClock });
  const keys: string[] = [];
  for (const id of workspaceIds) {
    const key = newKey();
    await register(records, id, key);
    keys.push(key);
  }
  await records.close();
  return keys;
}

/** Milliseconds that each response took, in ascending order. */
async function askEach(url: string, keys: readonly string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const ask = (key: string) =>
    new Promise<number>((resolve, reject) => {
      const began = performance.now();
      get(url, { agent, headers: { 'x-api-key': key } }, (response) => {
        if (response.statusCode !== 200) reject(new Failure(`status ${response.statusCode}`));
        response.resume().on('end', () => resolve(performance.now() - began));
      }).on('error', reject);
    });
  const times = await pMap(keys, ask, { concurrency: CLIENTS });
  agent.destroy();
  return times.toSorted((a, b) => a - b);
}

function percentiles(sorted: readonly number[]) {
  return { 'p50 ms': percentile(sorted, 0.5).toFixed(1), 'p99 ms': percentile(sorted, 0.99).toFixed(1) };
}
