/** @module-tag long */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeDemo } from '../../../jobs/demo/demo.ts';
import { systemClock } from '../../../lib/clock.ts';
import { parseInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { leaseKey } from '../../../snapshots/layout.ts';
import { programEnvironment } from '../../support/environment.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder, temporaryFolders } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { deliver, settingsOf, verifiedIn } from '../jobs.ts';

const newFolder = temporaryFolders();

let shared: string;
let folder: string;
let lake: ObjectStore;
let store: string;
let running: Scheduler[];

/** A lake whose weekly run takes long enough to be met at work. */
beforeAll(async () => {
  shared = await newFolder();
  const drop = join(shared, 'drop');
  const size = { seed: 3, workspaces: 2, brands: 8, prompts: 25, cycles: 4 };
  await makeDemo({ to: drop, ...size, asOf: parseInstant('2026-01-12T06:00:00Z')! });
  await deliver(join(shared, 'lake'), { folder: drop, date: '2026-01-01' });
});

beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'scratch'));
  // It has the lease and the log.
  await cp(join(shared, 'lake'), join(folder, 'lake'), { recursive: true });
  lake = directoryStore(join(folder, 'lake'));
  store = join(folder, 'store');
  running = [];
});
afterEach(async () => {
  for (const { kill, ended } of running) {
    kill('SIGKILL');
    await ended;
  }
});

interface Scheduler {
  /** The lines of its log so far. */
  log: Record<string, unknown>[];
  said: (message: string) => boolean;
  kill: (signal: NodeJS.Signals) => void;
  ended: Promise<{ status: number | null; stderr: string }>;
}

function schedule(...args: string[]): Scheduler {
  const places = ['--lake', lake.url, '--store', store];
  const child = spawn(process.execPath, ['jobs/cli.ts', 'schedule', ...places, ...args], {
    env: { ...programEnvironment(), ...settingsOf(store), TMPDIR: join(folder, 'scratch') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.push(line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : { line });
  });
  const stderr = text(child.stderr);
  const ended = once(child, 'close').then(async ([status]: (number | null)[]) => ({
    status: status ?? null,
    stderr: await stderr,
  }));
  const scheduler = {
    log,
    said: (message: string) => log.some(({ msg }) => msg === message),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    ended,
  };
  running.push(scheduler);
  return scheduler;
}

const isLeased = async () =>
  (await lake.get(leaseKey('all')))?.bytes.toString().includes('"holder":"') ?? false;

async function expectIntact(snapshots: number): Promise<void> {
  const { isIntact, problems, notes, checked } = await verifiedIn(store);
  expect({ isIntact, problems, notes }).toEqual({ isIntact: true, problems: [], notes: [] });
  expect(checked).toMatchObject({ snapshots });
}

/** The last Monday at 06:00 UTC. */
function lastMonday(): string {
  const now = new Date(systemClock.now() - 6 * 3600_000);
  const monday = now.getUTCDate() - ((now.getUTCDay() + 6) % 7);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), monday, 6)).toISOString();
}

/** Looked at by others every two seconds; not lost if the machine stands still for a while. */
const LEASE = ['--lease-seconds', '8'];

describe('the scheduler as a process', () => {
  test('of two on one store the first publishes last Monday, the second finds it published; both end with 0 where nothing is running', async () => {
    const metricsFile = join(folder, 'sightline.prom');
    const both = [schedule('--metrics-file', metricsFile, ...LEASE), schedule(...LEASE)];
    await until(() => both.every(({ said }) => said('weekly run done')));
    const done = both.flatMap(({ log }) => log.filter(({ msg }) => msg === 'weekly run done'));
    expect(done.map(({ due, brands }) => [due, brands])).toEqual(done.map(() => [lastMonday(), 8]));
    expect(done.map((line) => line['new'] as number).toSorted((a, b) => a - b)).toEqual([0, 2]);
    for (const { kill } of both) kill('SIGTERM');
    for (const { ended } of both) expect(await ended).toEqual({ status: 0, stderr: '' });
    await expectIntact(2);
    expect(await readFile(metricsFile, 'utf8')).toMatch(/^sightline_weekly_brands 8$/m);
    expect(await readdir(join(folder, 'scratch'))).toEqual([]);
  });

  test('told to stop in the middle of a run ends with 1, and leaves nothing half done or lying about', async () => {
    const scheduler = schedule();
    await until(isLeased);
    scheduler.kill('SIGTERM');
    const { status, stderr } = await scheduler.ended;
    expect(stderr).toMatch(/^sightline: stopped in the middle of the run for [^\n]*\n$/);
    expect(status).toBe(1);
    expect(scheduler.said('weekly run stopped')).toBe(true);
    expect(await isLeased()).toBe(false);
    expect(await readdir(join(folder, 'scratch'))).toEqual([]);
    const next = schedule();
    await until(() => next.said('weekly run done'));
    await expectIntact(2);
  });

  test('that is killed at work is taken over from', async () => {
    const first = schedule('--lease-seconds', '2');
    await until(isLeased);
    first.kill('SIGKILL');
    await first.ended;
    const next = schedule(...LEASE);
    await until(() => next.said('weekly run done'));
    expect(next.said('another scheduler has the lease')).toBe(true);
  });

  test.each([
    ['--cron', '61 * * * *', 'invalid expression for minute'],
    ['--cron', '0 6 1 * 1', 'it restricts both day of month and day of week'],
    ['--timezone', 'Mars/Olympus', 'expected a time zone'],
    ['--as-of', '2026-11-16T06:00:00Z', 'unknown option'],
  ])('refuses %s %s as wrong usage, with status 2, and touches nothing', async (option, value, complaint) => {
    const places = ['--lake', lake.url, '--store', store];
    const { status, stderr } = await runHere('job', ['schedule', ...places, option, value]);
    expect(stderr).toContain(complaint);
    expect(status).toBe(2);
    expect((await readdir(folder)).toSorted()).toEqual(['lake', 'scratch']);
    expect(await lake.get(leaseKey('all'))).toBe(null);
  });
});
