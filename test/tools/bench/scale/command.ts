import type { ChildProcess } from 'node:child_process';
import { Agent, get } from 'node:http';
import { Command } from 'commander';
import pMap from 'p-map';
import { newKey } from '../../../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../../../gateway/records/postgres/records.ts';
import { printTable } from '../../../../lib/cli.ts';
import { Failure } from '../../../../lib/failure.ts';
import { makeScratch } from '../../../../lib/files/scratch.ts';
import { freePort } from '../../../support/free-port.ts';
import { startPostgres } from '../../../support/postgres.ts';
import { until } from '../../../support/until.ts';
import { percentile } from '../percentile.ts';
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
  heapMb?: number;
  json: boolean;
}

/** Each is one read, when nothing changed. */
const REFRESHES = 3;
const CLIENTS = 8;

export function scaleBench(): Command {
  return new Command('scale')
    .description(
      'A gateway with all workspaces in use: memory, reads of the store, and the latency of the first request of a workspace. The store is an S3 server in memory, the records are in PostgreSQL.',
    )
    .option('--workspaces <n>', 'workspaces in use', whole, 10_000)
    .option('--brands <n>', 'brands of each workspace', whole, 30)
    .option('--refresh-seconds <n>', 'STORE_REFRESH_SECONDS of the gateway', whole, 3)
    .option(
      '--heap-mb <n>',
      'limit of the JavaScript heap; Node sets half of the memory of a small container',
      whole,
    )
    .option('--json', 'print JSON', false)
    .action(run);
}

async function run({ json, ...options }: Options): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const database = await startPostgres();
  opened.defer(() => database.stop());
  const scratch = await makeScratch('bench-scale');
  opened.use(scratch);
  const store = await serveWorkspaces(scratch.path, options.workspaces, options.brands);
  opened.defer(() => store.close());
  const databaseUrl = await database.createDatabase();
  say('making keys');
  const keys = await makeKeys(databaseUrl, store.workspaceIds);
  const port = await freePort();
  const child = gatewayOn(settingsOf(store, options), port, databaseUrl);
  opened.defer(() => stopped(child));
  const url = `http://127.0.0.1:${port}/api/v1/brands`;
  await untilListening(child, url);
  const rows = await measure({ child, url, keys, store });
  if (json) process.stdout.write(`${JSON.stringify({ options, rows }, null, 2)}\n`);
  else printTable(rows);
}

function say(text: string): void {
  process.stderr.write(`${text} …\n`);
}

function settingsOf(store: ManyWorkspaces, { refreshSeconds, heapMb }: Omit<Options, 'json'>) {
  return {
    ...store.environment,
    STORE_REFRESH_SECONDS: String(refreshSeconds),
    ...(heapMb === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heapMb}` }),
  };
}

async function untilListening(child: ChildProcess, url: string): Promise<void> {
  const isListening = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await until(() => failIfEnded(child) || isListening(), 'the gateway listens', { everyMs: 50 });
}

function failIfEnded(child: ChildProcess): false {
  if (child.exitCode !== null || child.signalCode !== null) throw new Failure('the gateway ended');
  return false;
}

interface Parts {
  child: ChildProcess;
  url: string;
  keys: readonly string[];
  store: ManyWorkspaces;
}

async function measure({ child, url, keys, store }: Parts) {
  const megabytes = async () => Math.round((await usageOf(child.pid!, []))!.residentBytes / 1e6);
  const round = async (what: string) => {
    say(what);
    const before = store.requests();
    const times = await askEach(url, keys);
    const reads = ((store.requests() - before) / keys.length).toFixed(2);
    return { what, ...percentiles(times), 'reads per request': reads, MB: await megabytes() };
  };
  const readsPerMinute = async () => {
    say('looking for newer snapshots');
    const [before, began] = [store.requests(), performance.now()];
    const enough = before + REFRESHES;
    await until(() => failIfEnded(child) || store.requests() >= enough, 'the refreshes', {
      withinSeconds: 3600,
      everyMs: 100,
    });
    return Math.round((store.requests() - before) / ((performance.now() - began) / 60_000));
  };
  const rest = { 'p50 ms': '', 'p99 ms': '', 'reads per request': '' };
  return [
    { what: 'before the first request', ...rest, MB: await megabytes() },
    await round('first request of each workspace'),
    await round('second request'),
    { what: `refreshes: ${await readsPerMinute()} reads a minute`, ...rest, MB: await megabytes() },
  ];
}

async function makeKeys(databaseUrl: string, workspaceIds: readonly string[]): Promise<string[]> {
  const records = await openPostgresRecords(databaseUrl, { batchesAtOnce: CLIENTS, maxWaitMs: 5000 });
  const make = async (id: string) => {
    const key = newKey();
    await register(records, id, key);
    return key;
  };
  const keys = await pMap(workspaceIds, make, { concurrency: CLIENTS });
  await records.close();
  return keys;
}

/** The latencies of the responses in milliseconds, ascending. */
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
