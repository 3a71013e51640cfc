import { expect, test } from 'vitest';
import { deliveryKey } from '../../../jobs/lake/layout.ts';
import { countDeliveries } from '../../../jobs/lake/ledger.ts';
import type { WeeklyReport } from '../../../jobs/weekly/report/report.ts';
import { systemClock } from '../../../lib/clock.ts';
import { formatInstant } from '../../../lib/methodology/instant.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { workspaceIds } from '../../snapshots/history.ts';
import { publishWeek } from '../../snapshots/publish.ts';
import { fakeTime } from '../../support/fake-time.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { until } from '../../support/until.ts';
import { LEASE, MINUTE, RETRY, deaf, eachSchedule, kindsOf, untilAttempts } from './scheduler.ts';
import type { Work } from './scheduler.ts';

const DAY = 24 * 60 * MINUTE;
const LAST_MONDAY = '2026-11-16T06:00:00.000Z';

const each = eachSchedule();
const [first, second] = workspaceIds;
const publish: Work = async (run) => {
  await publishWeek({ ...run, clock: systemClock }, first, formatInstant(run.asOf).slice(0, 10));
  return undefined;
};
const pass = async (ms: number) => {
  each.time.pass(ms);
  await until(() => each.time.waiting() === 1);
};
const verified = async () => await verifyStore(each.log.store, { identity: each.log, now: each.time.now() });

test('a missed week is caught up at the start, as of its own instant, once, and the next comes when it is due', async () => {
  const former = each.start(publish);
  await untilAttempts(each, 1, former);
  expect(former.runs).toEqual([LAST_MONDAY]);
  await pass(DAY);
  await former.stop();

  each.time.pass(17 * DAY); // off, over two weeks
  const latter = each.start(publish);
  await untilAttempts(each, 1, latter);
  expect(latter.runs).toEqual(['2026-11-30T06:00:00.000Z']);
  for (let minute = 0; minute < 5; minute++) await pass(MINUTE);
  expect(latter.runs).toHaveLength(1);
  each.time.pass(DAY);
  await until(() => latter.outcomes.length === 2);
  expect(latter.runs.at(-1)).toBe('2026-12-07T06:00:00.000Z');
  expect(await verified()).toMatchObject({ isIntact: true, problems: [], checked: { snapshots: 3 } });
});

test('a run that fails is tried again until it is done; log and metrics file say so', async () => {
  let failures = 2;
  const scheduler = each.start(async (run) => {
    each.time.pass(1500);
    if (failures-- > 0) throw new Error('no lake');
    return await publish(run);
  });
  await untilAttempts(each, 1, scheduler);
  expect(await each.metrics()).toMatch(/^sightline_weekly_last_run_success 0$/m);
  expect(await each.metrics()).not.toMatch(/last_success|last_run_complete/);
  each.time.pass(RETRY - 1);
  expect(scheduler.runs).toHaveLength(1);
  each.time.pass(1);
  await untilAttempts(each, 2, scheduler);
  each.time.pass(RETRY);
  await untilAttempts(each, 3, scheduler);
  expect(kindsOf(scheduler)).toEqual(['failed', 'failed', 'done']);
  expect(new Set(scheduler.runs)).toEqual(new Set([LAST_MONDAY]));
  expect(scheduler.log.map((line) => JSON.parse(line) as object)).toMatchObject([
    { message: 'weekly run failed', reason: expect.stringContaining('no lake') as string },
    { message: 'weekly run failed', seconds: 1.5 },
    { message: 'weekly run done', due: LAST_MONDAY, brands: 3, refused: 4, complete: 99 },
  ]);
  expect(await each.metrics()).toMatch(/^sightline_weekly_last_success_due_timestamp_seconds 1794808800$/m);
});

test('a run that left workspaces unpublished is repeated until all are published, and says which', async () => {
  const message = 'its pointer cannot be read';
  let unpublished: WeeklyReport['unpublished'] = [
    { workspaceId: second, reason: 'incomplete', message: 'less than 95 % has been delivered' },
    { workspaceId: first, reason: 'shrunk', message: 'its brands are gone' },
    ...['a', 'b', 'c', 'd'].map((workspaceId) => ({ workspaceId, reason: 'failed', message }) as const),
  ];
  const scheduler = each.start(async () => ({ unpublished }));
  await untilAttempts(each, 1, scheduler);
  expect(scheduler.outcomes[0]).toMatchObject({
    kind: 'partial',
    reason: `6 of 2 workspaces were not published: ${second}: less than 95 % has been delivered; ${first}: its brands are gone; a, b, c, and 1 more: ${message}`,
  });
  unpublished = [];
  each.time.pass(RETRY);
  await untilAttempts(each, 2, scheduler);
  expect(kindsOf(scheduler)).toEqual(['partial', 'done']);
});

test('after its clock was set back by weeks, a scheduler publishes the week that was due then', async () => {
  let behind = 0;
  const clock = { now: () => each.time.now() - behind };
  const scheduler = each.start(publish, { clock });
  await untilAttempts(each, 1, scheduler);
  for (behind of [MINUTE + 1000, 14 * DAY]) await pass(1000);
  await untilAttempts(each, 2, scheduler);
  expect(scheduler.runs).toEqual([LAST_MONDAY, '2026-11-02T06:00:00.000Z']);
});

const counting: Work = async (run) => {
  await publish(run);
  return { deliveries: await countDeliveries(run.lake) };
};

test('what is delivered after the week was published is published within a minute, once, and also after a restart', async () => {
  const deliver = async (n: number) => void (await each.log.lake.create(deliveryKey(n), Buffer.from('{}')));
  let isAway = false;
  const lake = interposedStore(each.log.lake, {
    before({ method }) {
      if (isAway && method === 'list') throw new Error('the lake does not answer');
    },
  });
  const { store, origin, signer } = each.log;
  await deliver(1);
  const scheduler = each.start(counting, { run: { lake, store, origin, signer } });
  await untilAttempts(each, 1, scheduler);
  await pass(MINUTE);
  await deliver(2);
  isAway = true;
  await pass(MINUTE);
  expect(kindsOf(scheduler)).toEqual(['done']);
  isAway = false;
  each.time.pass(MINUTE);
  await untilAttempts(each, 2, scheduler);
  await pass(MINUTE);
  expect(kindsOf(scheduler)).toEqual(['done', 'done']);
  expect(scheduler.runs).toEqual([LAST_MONDAY, LAST_MONDAY]);
  await scheduler.stop();
  await deliver(3);
  const restarted = each.start(counting);
  await untilAttempts(each, 1, restarted);
  expect(kindsOf(restarted)).toEqual(['done']);
});

test('of schedulers on one store one works at a time, and what the others repeat publishes nothing new', async () => {
  const release = Promise.withResolvers<undefined>();
  const working = each.start(async (run) => {
    await release.promise;
    return await publish(run);
  });
  await until(() => working.runs.length === 1);
  const others = [each.start(publish), each.start(publish)];
  // Two leases long: it is renewed.
  for (let round = 0; round < 8; round++) {
    await until(() => others.every(({ outcomes }) => outcomes.length > 0) && each.time.waiting() === 3);
    each.time.pass(LEASE / 4);
  }
  expect(others.flatMap(({ runs }) => runs)).toEqual([]);
  release.resolve(undefined);
  const all = [working, ...others];
  await until(() => working.outcomes.length === 1);
  for (; !all.every((one) => kindsOf(one).at(-1) === 'done'); each.time.pass(LEASE / 4))
    await until(() => each.time.waiting() === 3);
  for (const { log } of others)
    expect(log.filter((line) => line.includes('another scheduler'))).toHaveLength(1);
  expect((await verified()).checked.snapshots).toBe(1);
});

test('a scheduler takes over from one that stalls at work, also where its own clock is wrong, and what both publish is whole; other shards do not wait', async () => {
  const stalls = Promise.withResolvers<undefined>();
  const stalled = each.start(
    async (run) => {
      await stalls.promise;
      return await publish(run);
    },
    { timer: deaf },
  );
  await until(() => stalled.runs.length === 1);
  const shard = each.start(publish, { scope: 'shard-2-of-2' });
  await until(() => kindsOf(shard).at(-1) === 'done');
  const elsewhere = fakeTime('2051-01-01T00:00:00Z');
  const other = each.start(
    async (run) => {
      await publishWeek({ ...run, clock: each.time }, second, '2026-11-16');
      return undefined;
    },
    { clock: elsewhere, timer: elsewhere, leaseMs: 2 * LEASE },
  );
  for (const ms of [0, LEASE / 2 - 1000, 1000]) {
    elsewhere.pass(ms);
    await untilAttempts({ time: elsewhere }, ms === 1000 ? 2 : 1, other);
  }
  expect(kindsOf(other)).toEqual(['held', 'held']);
  elsewhere.pass(LEASE / 2);
  await until(() => kindsOf(other).at(-1) === 'done');
  stalls.resolve(undefined);
  await until(() => stalled.outcomes.length === 1);
  expect(await verified()).toMatchObject({ isIntact: true, problems: [] });
  const log = await readLog(each.log.store, each.log);
  expect([...log!.heads.keys()].toSorted()).toEqual([first, second].toSorted());
});

test('a lake that does not answer costs the run only when its lease is over', async () => {
  let [failing, asked] = ['', 0];
  const lake = interposedStore(each.log.lake, {
    before({ method }) {
      asked += 1;
      if (method === failing) throw new Error('the store does not answer');
    },
  });
  const { store, origin, signer } = each.log;
  const scheduler = each.start(
    async ({ signal }) => await new Promise((_, reject) => signal!.addEventListener('abort', reject)),
    { run: { lake, store, origin, signer, requireComplete: 95 } },
  );
  await until(() => each.time.waiting() === 1);
  // The first renewal is written, and cannot be read again.
  for (const method of ['get', 'none', 'swap', 'swap', 'swap']) {
    [failing, asked] = [method, 0];
    each.time.pass(LEASE / 4);
    await until(() => asked > 0 && each.time.waiting() === 1);
    expect(scheduler.outcomes).toEqual([]);
  }
  each.time.pass(LEASE / 4);
  await until(() => scheduler.outcomes.length === 1);
  expect(scheduler.outcomes[0]).toMatchObject({
    kind: 'failed',
    reason: expect.stringMatching(/the lease .* was lost/) as string,
  });
});
