import { expect, test } from 'vitest';
import type { ScheduleOptions } from '../../../jobs/schedule/schedule.ts';
import { deliveryKey } from '../../../jobs/lake/layout.ts';
import { countDeliveries } from '../../../jobs/lake/ledger.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { workspaceIds } from '../../snapshots/history.ts';
import { publishWeek } from '../../snapshots/publish.ts';
import { until } from '../../support/until.ts';
import { LEASE, MINUTE, deaf, eachSchedule, kindsOf, publish, startIn, untilAttempts } from './scheduler.ts';
import type { Scheduler, Work } from './scheduler.ts';

const DAY = 24 * 60 * MINUTE;

const each = eachSchedule();
const start = (work: Work, given?: Partial<ScheduleOptions>) => startIn(each, work, given);
const isDone = ({ outcomes }: Scheduler) => outcomes.at(-1)?.kind === 'done';

test('a missed week is caught up at the start, as of its own instant, once, and the next comes when it is due', async () => {
  const first = start(publish);
  await untilAttempts(each, 1, first);
  expect(first.runs).toEqual(['2026-11-16T06:00:00.000Z']);
  each.time.pass(DAY);
  await until(() => each.time.waiting() === 1);
  await first.stop();

  each.time.pass(17 * DAY); // off, over two weeks
  const second = start(publish);
  await untilAttempts(each, 1, second);
  expect(second.runs).toEqual(['2026-11-30T06:00:00.000Z']);
  for (let minute = 0; minute < 5; minute++) {
    each.time.pass(MINUTE);
    await until(() => each.time.waiting() === 1);
  }
  expect(second.runs).toHaveLength(1);
  each.time.pass(DAY);
  await until(() => second.outcomes.length === 2);
  expect(second.runs.at(-1)).toBe('2026-12-07T06:00:00.000Z');
  const verified = await verifyStore(each.log.store, { identity: each.log, now: each.time.now() });
  expect(verified).toMatchObject({ isIntact: true, problems: [], checked: { snapshots: 3 } });
});

test('the next instant is not delayed by the pause after a failed run', async () => {
  const scheduler = start(() => Promise.reject(new Error('no lake')), { retryMs: 30 * DAY });
  await untilAttempts(each, 1, scheduler);
  each.time.pass(4 * DAY);
  await until(() => each.time.waiting() === 1);
  expect(scheduler.outcomes).toHaveLength(1);
  each.time.pass(DAY);
  await untilAttempts(each, 2, scheduler);
  expect(scheduler.runs).toEqual(['2026-11-16T06:00:00.000Z', '2026-11-23T06:00:00.000Z']);
});

const countingWork: Work = async (run) => {
  await publish(run);
  return { deliveries: await countDeliveries(run.lake) };
};

test('what is delivered after the week was published is published within a minute, once, and also after a restart', async () => {
  const deliver = async (n: number) => void (await each.log.lake.create(deliveryKey(n), Buffer.from('{}')));
  const pass = async (ms: number) => {
    each.time.pass(ms);
    await until(() => each.time.waiting() === 1);
  };
  await deliver(1);
  const scheduler = start(countingWork);
  await untilAttempts(each, 1, scheduler);
  await pass(MINUTE);
  expect(kindsOf(scheduler)).toEqual(['done']);
  await deliver(2);
  each.time.pass(MINUTE);
  await untilAttempts(each, 2, scheduler);
  expect(kindsOf(scheduler)).toEqual(['done', 'done']);
  await pass(MINUTE);
  expect(scheduler.runs).toEqual(['2026-11-16T06:00:00.000Z', '2026-11-16T06:00:00.000Z']);
  await scheduler.stop();
  await deliver(3);
  const restarted = start(countingWork);
  await untilAttempts(each, 1, restarted);
  expect(kindsOf(restarted)).toEqual(['done']);
});

test('of schedulers on one store one works at a time, and what the others repeat publishes nothing new', async () => {
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
    await until(() => each.time.waiting() === 3);
    each.time.pass(LEASE / 4); // two leases long: it is renewed
  }
  release.resolve(undefined);
  await until(() => all.some(isDone) && each.time.waiting() === 3);
  for (; !all.every(isDone); each.time.pass(LEASE / 4)) await until(() => each.time.waiting() === 3);
  expect(most).toBe(1);
  const heldLines = all.map(({ log }) => log.filter((line) => line.includes('another scheduler')).length);
  expect(heldLines.toSorted((a, b) => a - b)).toEqual([0, 1, 1]);
  const { checked } = await verifyStore(each.log.store, { identity: each.log, now: each.time.now() });
  expect(checked.snapshots).toBe(1);
});

test('a scheduler takes over from one that stalls at work, and what both publish is whole', async () => {
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
    await publishWeek({ ...run, clock: each.time }, workspaceIds[1], '2026-11-16');
    return undefined;
  });
  await until(() => kindsOf(other).at(-1) === 'held' && each.time.waiting() === 1);
  each.time.pass(LEASE);
  await until(() => kindsOf(other).at(-1) === 'done');
  stalls.resolve(undefined);
  await until(() => stalled.outcomes.length === 1);
  const { isIntact, problems } = await verifyStore(each.log.store, {
    identity: each.log,
    now: each.time.now(),
  });
  expect({ isIntact, problems }).toEqual({ isIntact: true, problems: [] });
  const log = await readLog(each.log.store, each.log);
  expect([...log!.heads.keys()].toSorted()).toEqual([...workspaceIds].slice(0, 2).toSorted());
});

test('shards do not wait for each other', async () => {
  const never = Promise.withResolvers<undefined>();
  const first = start(async () => await never.promise, { scope: 'shard-1-of-2' });
  await until(() => first.runs.length === 1);
  const second = start(publish, { scope: 'shard-2-of-2' });
  await until(() => second.outcomes.length > 0);
  expect(kindsOf(second)).toEqual(['done']);
  const stopped = first.stop();
  never.resolve(undefined);
  await stopped;
});
