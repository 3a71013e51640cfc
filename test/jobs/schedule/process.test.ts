/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { beforeEach, expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { leaseKey } from '../../../snapshots/layout.ts';
import { programEnvironment } from '../../support/environment.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startServer } from '../../support/http-server.ts';
import { killAfterTest } from '../../support/program.ts';
import { until } from '../../support/until.ts';
import { deliver, settingsOf, verifiedIn } from '../jobs.ts';

let folder: string;
let places: string[];
beforeEach(async () => {
  folder = await temporaryFolder();
  places = ['--lake', join(folder, 'lake'), '--store', join(folder, 'store')];
});

/** A lake whose weekly run takes long enough to be met at work. */
async function makeLake(): Promise<void> {
  const to = join(folder, 'drop');
  const size = { seed: 3, workspaces: 2, brands: 8, prompts: 25, cycles: 4 };
  await makeDemo({ to, ...size, asOf: parseInstant('2026-01-12T06:00:00Z')! });
  await deliver(join(folder, 'lake'), { folder: to, date: '2026-01-01' });
}

async function isLeased(): Promise<boolean> {
  const lease = await directoryStore(join(folder, 'lake')).get(leaseKey('all'));
  return lease?.bytes.includes('"holder":"') ?? false;
}

async function schedule(args: readonly string[] = [], settings: Record<string, string> = {}) {
  const scratch = await temporaryFolder();
  const child = spawn(process.execPath, ['jobs/cli.ts', 'schedule', ...places, ...args], {
    env: { ...programEnvironment(), ...settingsOf(join(folder, 'store')), TMPDIR: scratch, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  killAfterTest(child);
  const log: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.push(line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : { line });
  });
  const stderr = text(child.stderr);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, stderr: await stderr, left: await readdir(scratch) };
  };
  return { lines: (message: string) => log.filter(({ msg }) => msg === message), end };
}

test('a scheduler that is stopped or killed at work leaves nothing half done, and the next one publishes the week', async () => {
  await makeLake();
  const stopped = await schedule();
  await until(isLeased);
  const { stderr, ...ended } = await stopped.end('SIGTERM');
  expect(stderr).toMatch(/^sightline: stopped in the middle of the run for [^\n]*\n$/);
  expect(ended).toEqual({ status: 1, left: [] });
  expect(stopped.lines('weekly run stopped')).toHaveLength(1);
  expect(await isLeased()).toBe(false);

  const killed = await schedule(['--lease-seconds', '2']);
  await until(isLeased);
  await killed.end('SIGKILL');
  const metricsFile = join(folder, 'sightline.prom');
  const next = await schedule(['--metrics-file', metricsFile, '--lease-seconds', '4']);
  await until(() => next.lines('weekly run done').length === 1);
  expect(next.lines('another scheduler has the lease')).toHaveLength(1);
  expect(next.lines('weekly run done')).toMatchObject([
    { due: expect.stringMatching(/T06:00:00\.000Z$/) as string, brands: 8 },
  ]);
  expect(await next.end('SIGTERM')).toEqual({ status: 0, stderr: '', left: [] });
  expect(await readFile(metricsFile, 'utf8')).toMatch(/^sightline_weekly_brands 8$/m);
  const { isIntact, problems, notes, checked } = await verifiedIn(join(folder, 'store'));
  expect({ isIntact, problems, notes }).toEqual({ isIntact: true, problems: [], notes: [] });
  expect(checked).toMatchObject({ snapshots: 2 });
});

test('a scheduler that a silent store keeps is ended some seconds after it was stopped', async () => {
  await makeLake();
  const asked = Promise.withResolvers<void>();
  const stuck = await schedule(['--store', 's3://bucket/store'], {
    S3_ENDPOINT: await startServer(() => asked.resolve()),
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'us-east-1',
    SHUTDOWN_SECONDS: '1',
  });
  await asked.promise;
  const { status, stderr } = await stuck.end('SIGTERM');
  expect([status, stderr]).toEqual([
    1,
    'sightline: did not stop within 1 second, and was ended; nothing is half done\n',
  ]);
});
