import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readCompleted } from '../../../jobs/schedule/completed.ts';
import type { ScheduleOptions } from '../../../jobs/schedule/schedule.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import type { WeeklyOptions } from '../../../jobs/weekly/weekly.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { compareText } from '../../../lib/methodology/text.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { completedKey, pointerKey } from '../../../snapshots/layout.ts';
import { publishWeek, workspaceIds } from '../../snapshots/history.ts';
import { fakeTime } from '../../support/fake-time.ts';
import type { FakeTime } from '../../support/fake-time.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { LEASE, MINUTE, RETRY, deaf, startScheduler } from './scheduler.ts';
import type { Scheduler, Work } from './scheduler.ts';

const DAY = 24 * 60 * MINUTE;

let folder: string;
let store: ObjectStore;
let time: FakeTime;
let schedulers: Scheduler[];

beforeEach(async () => {
  folder = await temporaryFolder();
  store = directoryStore(join(folder, 'store'));
  time = fakeTime('2026-11-18T12:00:00Z');
  schedulers = [];
});
afterEach(() => Promise.all(schedulers.map((scheduler) => scheduler.stop())));

function start(work: Work, given: Partial<ScheduleOptions> = {}): Scheduler {
  const scheduler = startScheduler({ store, time, folder }, work, given);
  schedulers.push(scheduler);
  return scheduler;
}

const [workspaceId] = workspaceIds;
const publish: Work = async (run) => {
  await publishWeek(run.store, workspaceId, formatInstant(run.asOf).slice(0, 10));
  return undefined;
};
const isDone = ({ outcomes }: Scheduler) => ['done', 'done before'].includes(outcomes.at(-1)?.kind ?? '');
const kinds = ({ outcomes }: Scheduler) => outcomes.map(({ kind }) => kind);
/** So many attempts were made, and it waits for the next. */
const made = async (attempts: number, { outcomes }: Scheduler) =>
  await until(() => outcomes.length === attempts && time.waiting() === 1);
const metrics = async () => await readFile(join(folder, 'a.prom'), 'utf8');

test('a missed week is caught up at the start, as of its own instant, once, and the next comes when it is due', async () => {
  const first = start(publish);
  await made(1, first);
  expect(first.runs).toEqual(['2026-11-16T06:00:00.000Z']);
  time.pass(DAY);
  await until(() => time.waiting() === 1);
  await first.stop();

  time.pass(17 * DAY); // off, over two weeks
  const second = start(publish);
  await made(1, second);
  expect(second.runs).toEqual(['2026-11-30T06:00:00.000Z']);
  for (let minute = 0; minute < 5; minute++) {
    time.pass(MINUTE);
    await until(() => time.waiting() === 1);
  }
  expect(second.runs).toHaveLength(1);
  time.pass(DAY);
  await until(() => second.outcomes.length === 2);
  expect(second.runs.at(-1)).toBe('2026-12-07T06:00:00.000Z');
  const verified = await verifyStore(store, { trust: null });
  expect(verified).toMatchObject({ isIntact: true, notes: [], checked: { snapshots: 3 } });
});

test('a scheduler that starts again does not do again what was done', async () => {
  const first = start(publish);
  await made(1, first);
  await first.stop();
  const second = start(publish);
  await until(() => second.outcomes.length === 1);
  expect(kinds(second)).toEqual(['done before']);
  expect(second.runs).toEqual([]);
});

test('of schedulers on one store one works, and the others wait for it', async () => {
  let [working, most] = [0, 0];
  const release = Promise.withResolvers<undefined>();
  const slowly: Work = async (run) => {
    working += 1;
    most = Math.max(most, working);
    await release.promise;
    working -= 1;
    return await publish(run);
  };
  const all = [start(slowly), start(slowly), start(slowly)];
  await until(() => all.every(({ runs, outcomes }) => runs.length + outcomes.length > 0));
  for (let round = 0; round < 8; round++) {
    await until(() => time.waiting() === 3);
    time.pass(LEASE / 4); // two leases long: it is renewed
  }
  release.resolve(undefined);
  await until(() => all.some(isDone) && time.waiting() === 3);
  time.pass(LEASE / 4);
  await until(() => all.every(isDone));
  expect(most).toBe(1);
  expect(all.flatMap(({ runs }) => runs)).toEqual(['2026-11-16T06:00:00.000Z']);
  const heldLines = all.map(({ log }) => log.filter((line) => line.includes('another scheduler')).length);
  expect(heldLines).toEqual(all.map(({ runs }) => (runs.length === 1 ? 0 : 1)));
});

test('a scheduler takes over from one that died at work, which, were it alive, could publish nothing', async () => {
  const stalls = Promise.withResolvers<undefined>();
  const stalled = start(
    async (run) => {
      await stalls.promise;
      return await publish(run);
    },
    { timer: deaf },
  );
  await until(() => stalled.runs.length === 1);
  const other = start(async (run) => {
    await publishWeek(run.store, workspaceIds[1], '2026-11-16');
    return undefined;
  });
  await until(() => kinds(other).at(-1) === 'held' && time.waiting() === 1);
  time.pass(LEASE);
  await until(() => kinds(other).at(-1) === 'done');
  stalls.resolve(undefined);
  await until(() => stalled.outcomes.length === 1);
  expect(stalled.outcomes[0]).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/lease .* was lost/) as string,
  });
  expect(await store.get(pointerKey(workspaceId))).toBe(null);
});

test('a run that fails is tried again until it is done, and the metrics say so', async () => {
  let failures = 2;
  const scheduler = start(async (run) => {
    if (failures-- > 0) throw new Error('no lake');
    return await publish(run);
  });
  await made(1, scheduler);
  expect(await metrics()).toMatch(/^sightline_weekly_last_run_success 0$/m);
  expect(await metrics()).not.toMatch(/last_success|last_run_complete/);
  time.pass(RETRY - 1);
  expect(scheduler.runs).toHaveLength(1);
  time.pass(1);
  await made(2, scheduler);
  time.pass(RETRY);
  await made(3, scheduler);
  expect(kinds(scheduler)).toEqual(['failed', 'failed', 'done']);
  expect(await metrics()).toMatch(/^sightline_weekly_last_run_success 1$/m);
  expect(new Set(scheduler.runs)).toEqual(new Set(['2026-11-16T06:00:00.000Z']));
});

test('workspaces that could not be published are tried again alone, until all are, and the figures are of the whole week', async () => {
  const [first, second] = workspaceIds;
  let unpublished: WeeklyReport['unpublished'] = [
    { workspaceId: first, reason: 'failed', message: 'its pointer cannot be read' },
    { workspaceId: second, reason: 'incomplete', message: 'less than 95 % has been delivered' },
  ];
  const asked: WeeklyOptions['workspaces'][] = [];
  const scheduler = start(async (run) => {
    asked.push(run.workspaces);
    return { new: 1, brands: 1, unpublished };
  });
  await made(1, scheduler);
  expect(scheduler.outcomes[0]).toMatchObject({
    kind: 'partial',
    unpublished,
    reason: expect.stringContaining(`${first}: its pointer cannot be read`) as string,
  });
  expect(JSON.parse(scheduler.log[0]!)).toMatchObject({ unpublished });
  expect(await metrics()).toMatch(/^sightline_weekly_last_run_success 0$/m);
  expect(await metrics()).toMatch(/^sightline_weekly_last_run_complete_percent 99$/m);
  expect(await metrics()).toContain(
    `\nsightline_weekly_unpublished{workspace="${first}",reason="failed"} 1\nsightline_weekly_unpublished{workspace="${second}",reason="incomplete"} 1\n`,
  );
  expect(await readCompleted(store, completedKey('all'))).toBe(null);
  unpublished = unpublished.slice(1);
  time.pass(RETRY);
  await made(2, scheduler);
  unpublished = [];
  time.pass(RETRY);
  await until(() => scheduler.outcomes.length === 3);
  expect(kinds(scheduler)).toEqual(['partial', 'partial', 'done']);
  expect(asked).toEqual([undefined, [first, second], [second]]);
  expect(await readCompleted(store, completedKey('all'))).toMatchObject({ workspaces: 2, new: 3, brands: 3 });
  expect(await metrics()).toMatch(/^sightline_weekly_unpublished_workspaces 0$/m);
});

test('told to stop in the middle of a run it publishes nothing more, says so, and leaves the lease free', async () => {
  const begun = Promise.withResolvers<undefined>();
  const goesOn = Promise.withResolvers<undefined>();
  const scheduler = start(async (run) => {
    begun.resolve(undefined);
    await goesOn.promise;
    return await publish(run);
  });
  await begun.promise;
  const ended = scheduler.stop();
  goesOn.resolve(undefined);
  expect(await ended).toBe(Date.parse('2026-11-16T06:00:00Z'));
  expect(kinds(scheduler)).toEqual(['stopped']);
  expect(await store.get(pointerKey(workspaceId))).toBe(null);
  schedulers = [];
  const next = start(publish);
  await until(() => kinds(next).at(-1) === 'done'); // without any time passing
});

test('told to stop while nothing runs it has nothing to say', async () => {
  const scheduler = start(publish);
  await made(1, scheduler);
  expect(await scheduler.stop()).toBe(null);
});

test('shards do not wait for each other', async () => {
  const never = Promise.withResolvers<undefined>();
  const first = start(async () => await never.promise, { scope: 'shard-1-of-2' });
  await until(() => first.runs.length === 1);
  const second = start(publish, { scope: 'shard-2-of-2' });
  await until(() => second.outcomes.length > 0);
  expect(kinds(second)).toEqual(['done']);
  const stopped = first.stop();
  never.resolve(undefined);
  await stopped;
});

test('each run is one line in the log and a metrics file that is whole', async () => {
  const scheduler = start(publish);
  await made(1, scheduler);
  expect(scheduler.log).toHaveLength(1);
  const figures = { due: '2026-11-16T06:00:00.000Z', brands: 3, refused: 4, complete: 99 };
  expect(JSON.parse(scheduler.log[0]!)).toMatchObject({ ...figures, message: 'weekly run done' });
  const text = await metrics();
  for (const line of [
    'last_run_success 1',
    'last_run_due_timestamp_seconds 1794808800',
    'last_run_timestamp_seconds 1795003200',
    'last_run_duration_seconds 0',
    'last_run_complete_percent 99',
    'last_success_timestamp_seconds 1795003200',
    'workspaces 2',
    'brands 3',
    'documents 17',
    'new_snapshots 2',
    'unchanged_snapshots 0',
    'refused_runs 4',
    'complete_percent 99',
    'orphaned{kind="runs"} 5',
    'orphaned{kind="brands"} 1',
  ])
    expect(text.split('\n')).toContain(`sightline_weekly_${line}`);
  const malformed = text
    .split('\n')
    .filter((line) => !/^(|# (HELP|TYPE) \w+ .+|\w+(\{kind="\w+"\})? [\d.]+)$/.test(line));
  expect(malformed).toEqual([]);
  expect(await readdir(folder)).toEqual(['a.prom', 'store']);
});

test('the auditor knows what the schedule writes down, and nothing else beside it', async () => {
  await made(1, start(publish));
  const others = ['schedule/all/other.json', 'schedule/lease.json', 'schedule/All/lease.json'];
  for (const key of others) await store.create(key, Buffer.from('{}'));
  const { problems } = await verifyStore(store, { trust: null });
  expect(
    problems.flatMap(({ kind, objects }) => objects.map((key) => `${kind} ${key}`)).toSorted(compareText),
  ).toEqual(others.map((key) => `extra ${key}`).toSorted(compareText));
});
