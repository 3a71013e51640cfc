import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { USUAL_ORIGIN } from '../../../../snapshots/log/identity.ts';
import { freePort } from '../../../support/free-port.ts';
import type { Fixture } from './fixture.ts';

/** A server that is compared; started and stopped once per round. */
export interface Contender {
  name: string;
  what: string;
  /** Null if it cannot run on this machine. */
  start(fixture: Fixture, port: number): Promise<ChildProcess | null>;
  /** Further processes whose processor time counts. */
  helpers?(fixture: Fixture): number[];
}

export const contenders: Contender[] = [
  {
    name: 'bare',
    what: 'a bare Fastify route with the same body',
    start: async ({ folder }, port) =>
      node('test/tools/bench/gateway/bare.ts', { PORT: String(port), BODY: join(folder, 'body.json') }),
  },
  {
    name: 'sqlite',
    what: 'the gateway, records in SQLite',
    start: async (fixture, port) => gateway(fixture, port, fixture.sqliteUrl),
  },
  {
    name: 'postgres',
    what: 'the gateway, records in PostgreSQL',
    start: async (fixture, port) => gateway(fixture, port, fixture.postgresUrl),
    helpers: ({ postgres }) => [postgres.pid()],
  },
  { name: 'nginx', what: 'nginx serving the file, one worker', start: nginx },
];

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

function gateway({ storeUrl, publicKeyFile }: Fixture, port: number, recordsUrl: string): ChildProcess {
  const settings = {
    STORE_URL: storeUrl,
    PUBLIC_KEY_FILE: publicKeyFile,
    LOG_ORIGIN: USUAL_ORIGIN,
    RECORDS_URL: recordsUrl,
    PORT: String(port),
    METRICS_PORT: '0',
    DRAIN_SECONDS: '0',
  };
  return node('gateway/main.ts', { ...AS_NPM_STARTS_IT.settings, ...settings }, AS_NPM_STARTS_IT.flags);
}

function node(file: string, settings: Record<string, string>, flags: readonly string[] = []): ChildProcess {
  return spawn(process.execPath, [...flags, file], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function nginx({ folder, path }: Fixture, port: number): Promise<ChildProcess | null> {
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

/** Starts a server, works with its URL once it returns the expected document, and stops it. Null if it cannot run here. */
export async function serving<T>(
  contender: Contender,
  fixture: Fixture,
  work: (url: string, child: ChildProcess) => Promise<T>,
): Promise<T | null> {
  const port = await freePort();
  const child = await contender.start(fixture, port);
  if (child === null) return null;
  try {
    const url = `http://127.0.0.1:${port}${fixture.path}`;
    await untilReady(url, fixture, child);
    return await work(url, child);
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
  }
}

async function untilReady(url: string, { key, body }: Fixture, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 200 && child.exitCode === null; attempt++) {
    const answer = await fetch(url, { headers: { 'x-api-key': key } }).catch(() => null);
    if (answer?.status === 200 && body.equals(Buffer.from(await answer.arrayBuffer()))) return;
    await sleep(50);
  }
  throw new Error(`${url} does not answer with the document`);
}
