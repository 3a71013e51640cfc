import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeDemo } from '../../jobs/demo/demo.ts';
import { systemClock } from '../../lib/clock.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import { openSqliteRecords } from '../../gateway/records/sqlite/records.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { createKey, setPlan, workspaceId } from '../gateway/gateway.ts';
import { runProgram, startGatewayProcess } from '../support/program.ts';
import { acme, publishBrands } from '../gateway/snapshots.ts';
import { ORIGIN, testLog } from '../snapshots/publish.ts';
import { deliver, settingsOf } from '../jobs/jobs.ts';
import { until } from '../support/until.ts';
import { root } from '../docs/pages.ts';

export type Labels = Record<string, string>;

/** The label sets of each metric that our programs expose, by its name. */
export type Exposed = Map<string, Labels[]>;

/** Starts a gateway, a scheduler and a verification in a folder, and reads the metrics of each. */
export async function exposedMetrics(folder: string): Promise<Exposed> {
  const texts = [await ofGateway(join(folder, 'gateway')), await ofJobs(folder)];
  return parseExposition(texts.join('\n'));
}

async function ofGateway(folder: string): Promise<string> {
  const settings = {
    STORE_URL: join(folder, 'store'),
    LOG_ORIGIN: ORIGIN,
    PUBLIC_KEY_FILE: join(folder, 'own.public.pem'),
    RECORDS_URL: `sqlite:${join(folder, 'records.db')}`,
    HOST: '127.0.0.1',
  };
  // Older than a week, so that the gateway names its workspace.
  await mkdir(folder);
  const log = await testLog(folder);
  await publishBrands(log, workspaceId, [acme], '2026-01-05T06:00:00.000Z');
  const records = openSqliteRecords(join(folder, 'records.db'), { clock: systemClock });
  await setPlan(records, workspaceId, 'agency', null);
  const key = await createKey(records, workspaceId);
  await records.close();
  const gateway = await startGatewayProcess(settings);
  try {
    await ask(gateway.url, '/api/v1/brands', { headers: bearer(key) });
    await ask(gateway.url, '/api/v1/brands');
    return await (await fetch(`${gateway.operationsUrl}/metrics`)).text();
  } finally {
    gateway.child.kill('SIGTERM');
    await gateway.ended;
  }
}

async function ofJobs(folder: string): Promise<string> {
  const [drop, lake, store] = ['drop', 'lake', 'store'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const size = { seed: 1, workspaces: 1, brands: 1, prompts: 3, cycles: 3 };
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-01-12T06:00:00Z')! });
  await deliver(lake, { folder: drop, date: '2026-01-01' });
  const weekly = await ofScheduler(lake, store, join(folder, 'sightline-weekly.prom'));
  const verifyFile = join(folder, 'sightline-verify.prom');
  await runProgram(
    'snapshots/cli.ts',
    ['verify', '--store', store, '--metrics-file', verifyFile],
    settingsOf(store),
  );
  return `${weekly}\n${await readFile(verifyFile, 'utf8')}\n${await ofUnits(folder)}`;
}

async function ofUnits(folder: string): Promise<string> {
  const script = join(root, 'infra/write-unit-metrics');
  const env = { ...process.env, SERVICE_RESULT: 'success', METRICS_FOLDER: folder };
  const texts = ['sightline-backup', 'sightline-copy', 'sightline-doctor'].map(async (unit) => {
    await promisify(execFile)(script, [unit], { env });
    return await readFile(join(folder, `${unit}-unit.prom`), 'utf8');
  });
  return (await Promise.all(texts)).join('');
}

async function ofScheduler(lake: string, store: string, file: string): Promise<string> {
  const places = ['--lake', lake, '--store', store, '--metrics-file', file];
  const child = spawn(process.execPath, ['jobs/cli.ts', 'schedule', ...places], {
    env: { PATH: process.env['PATH'], ...settingsOf(store) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'close');
  let text: string | null = null;
  await until(async () => {
    text = await readFile(file, 'utf8').catch(() => null);
    return text !== null || child.exitCode !== null;
  });
  child.kill('SIGTERM');
  await ended;
  if (text === null) throw new Error('the scheduler ended without having written its metrics');
  return text;
}

/** Prometheus' text format, without values. */
export function parseExposition(text: string): Exposed {
  const exposed: Exposed = new Map();
  for (const line of text.split('\n')) {
    const sample = /^([a-z_:][\w:]*)(?:\{(.*)\})? \S+$/i.exec(line);
    if (sample === null) continue;
    const [, name, labels = ''] = sample;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [
      label,
      value,
    ]);
    exposed.set(name!, [...(exposed.get(name!) ?? []), Object.fromEntries(pairs) as Labels]);
  }
  return exposed;
}
