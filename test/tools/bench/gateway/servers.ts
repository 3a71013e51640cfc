import { spawn, spawnSync } from 'node:child_process';
import { USUAL_ORIGIN } from '../../../../snapshots/log/identity.ts';
import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Fixture } from './fixture.ts';

/** A contender; started and stopped once per round. */
export interface Contender {
  name: string;
  what: string;
  /** Null if it cannot run on this machine. */
  start(fixture: Fixture, port: number): Promise<ChildProcess | null>;
  /** The requested path; absent: the current document. */
  asked?(fixture: Fixture): Asked;
  /** Further processes whose processor time counts. */
  helpers?(fixture: Fixture): number[];
}

const gatewaySettings = (
  fixture: Pick<Fixture, 'storeUrl' | 'publicKeyFile' | 'origin'>,
  port: number,
  recordsUrl: string,
) => ({
  STORE_URL: fixture.storeUrl,
  PUBLIC_KEY_FILE: fixture.publicKeyFile,
  LOG_ORIGIN: fixture.origin ?? USUAL_ORIGIN,
  RECORDS_URL: recordsUrl,
  PORT: String(port),
  METRICS_PORT: '0',
  DRAIN_SECONDS: '0',
});

/** The gateway with records in SQLite, over any store. */
export function gatewayWith(
  parts: Pick<Fixture, 'storeUrl' | 'publicKeyFile' | 'origin' | 'sqliteUrl'>,
  port: number,
): ChildProcess {
  return gateway(gatewaySettings(parts, port, parts.sqliteUrl));
}

const postgresOf = (fixture: Fixture) => [fixture.postgres.pid()];

/** The flags and the environment of Node in `npm run gateway`. */
const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: { gateway: string } };
const AS_NPM_STARTS_IT = {
  flags: scripts.gateway.match(/--\S+/g) ?? [],
  settings: Object.fromEntries(
    [...scripts.gateway.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [
      name!,
      value!.replace('$PWD', process.cwd()),
    ]),
  ),
};

export const contenders: Contender[] = [
  {
    name: 'bare',
    what: 'a bare Fastify route with the same body',
    start: async (fixture, port) =>
      node('test/tools/bench/gateway/bare.ts', {
        PORT: String(port),
        BODY: join(fixture.folder, 'body.json'),
      }),
  },
  {
    name: 'sqlite',
    what: 'the gateway, records in SQLite',
    start: async (fixture, port) => gatewayWith(fixture, port),
  },
  {
    name: 'postgres',
    what: 'the gateway, records in PostgreSQL',
    start: async (fixture, port) => gateway(gatewaySettings(fixture, port, fixture.postgresUrl)),
    helpers: postgresOf,
  },
  {
    name: 'sqlite-each',
    what: 'one SQLite transaction per request, the usual way',
    start: async (fixture, port) =>
      node('test/tools/bench/gateway/one-by-one.ts', gatewaySettings(fixture, port, fixture.sqliteUrl)),
  },
  {
    name: 'postgres-each',
    what: 'one PostgreSQL statement per request from a pool of ten, the usual way',
    start: async (fixture, port) =>
      node('test/tools/bench/gateway/one-by-one.ts', gatewaySettings(fixture, port, fixture.postgresUrl)),
    helpers: postgresOf,
  },
  {
    name: 'sqlite-history',
    what: 'the gateway, records in SQLite, a store with all weeks of --history, current documents',
    start: async (fixture, port) => fixture.past && gatewayWith({ ...fixture, ...fixture.past }, port),
  },
  {
    name: 'sqlite-past',
    what: 'the same, a document of the oldest week',
    start: async (fixture, port) => fixture.past && gatewayWith({ ...fixture, ...fixture.past }, port),
    asked: ({ past }) => past!.oldest,
  },
  { name: 'nginx', what: 'nginx serving the file, one worker', start: nginx },
];

function gateway(settings: Record<string, string>): ChildProcess {
  const { flags, settings: ofNpm } = AS_NPM_STARTS_IT;
  return node('gateway/main.ts', { ...ofNpm, ...settings }, flags);
}

function node(file: string, settings: Record<string, string>, flags: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, [...flags, file], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function nginx({ folder, current: { path } }: Fixture, port: number): Promise<ChildProcess | null> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return null;
  const configuration = join(folder, 'nginx.conf');
  await writeFile(
    configuration,
    `daemon off; worker_processes 1; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
     events { worker_connections 4096; }
     http { access_log off; keepalive_requests 1000000000; default_type application/json;
            server { listen 127.0.0.1:${port}; location = ${path} { alias ${folder}/body.json; } } }`,
  );
  return spawn('nginx', ['-c', configuration, '-p', folder], { stdio: ['ignore', 'ignore', 'ignore'] });
}

/** Waits until it returns the expected document. */
export async function untilReady(url: string, key: string, body: Buffer, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    const answer = await fetch(url, { headers: { 'x-api-key': key } }).catch(() => null);
    if (answer?.status === 200 && body.equals(Buffer.from(await answer.arrayBuffer()))) return;
    await sleep(50);
  }
  throw new Error(`${url} does not answer with the document`);
}

export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
