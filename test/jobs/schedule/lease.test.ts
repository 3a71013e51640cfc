import { expect, test } from 'vitest';
import { leaseTaker } from '../../../jobs/schedule/lease.ts';
import type { Lease, LeaseOptions } from '../../../jobs/schedule/lease.ts';
import type { Timer } from '../../../lib/clock.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { leaseKey } from '../../../snapshots/layout.ts';
import { fakeTime } from '../../support/fake-time.ts';
import type { FakeTime } from '../../support/fake-time.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';

const TTL = 60_000;
const key = leaseKey('all');

/** A holder that has died never wakes again. */
const dead: Timer = { wait: async () => await new Promise(() => undefined) };

async function setUp(): Promise<{ time: FakeTime; store: ObjectStore; options: LeaseOptions }> {
  const time = fakeTime('2026-11-16T06:00:00Z');
  const store = directoryStore(await temporaryFolder());
  return { time, store, options: { store, key, ttlMs: TTL, clock: time, timer: time, host: 'one', pid: 1 } };
}

async function taken(options: LeaseOptions): Promise<Lease> {
  const lease = await leaseTaker(options).acquire();
  if ('holder' in lease) throw new Error(`held by ${lease.holder}`);
  return lease;
}

test('a dead holder’s is taken over once it has stood still for as long as it says, and not before', async () => {
  const { time, options } = await setUp();
  await taken({ ...options, timer: dead });
  time.pass(10 * TTL); // nobody looked
  const other = leaseTaker({ ...options, host: 'two', ttlMs: 5 * TTL });
  expect(await other.acquire()).toEqual({ holder: 'one, process 1' });
  time.pass(TTL - 1);
  expect(await other.acquire()).toEqual({ holder: 'one, process 1' });
  time.pass(1);
  const lease = await other.acquire();
  expect(lease).toHaveProperty('release');
  await (lease as Lease).release();
});

test.each(['2001-01-01T00:00:00Z', '2051-01-01T00:00:00Z'])(
  'a living holder’s is safe from a machine whose clock says %s',
  async (wrong) => {
    const { options } = await setUp();
    const lease = await taken(options);
    const elsewhere = fakeTime(wrong);
    const other = leaseTaker({ ...options, clock: elsewhere, timer: elsewhere, host: 'two' });
    expect(await other.acquire()).toEqual({ holder: 'one, process 1' });
    await lease.release();
  },
);

test('a store that fails for a while costs the lease only when its time is over', async () => {
  const { time, store, options } = await setUp();
  let fails = false;
  let asked = 0;
  const flaky: ObjectStore = {
    ...store,
    async swap(...args) {
      asked += 1;
      if (fails) throw new Error('the store does not answer');
      return await store.swap(...args);
    },
  };
  const lease = await taken({ ...options, store: flaky });
  fails = true;
  for (let quarter = 1; quarter <= 3; quarter++) {
    time.pass(TTL / 4);
    await until(() => asked === 1 + quarter && time.waiting() === 1);
    expect(lease.signal.aborted).toBe(false);
  }
  time.pass(TTL / 4);
  await until(() => lease.signal.aborted);
  expect(String(lease.signal.reason)).toMatch(/was lost/);
  await lease.release();
});

test('a renewal that was written, but could not be read again, costs nothing', async () => {
  const { time, store, options } = await setUp();
  let [fails, failed] = [false, 0];
  const flaky: ObjectStore = {
    ...store,
    async get(...args) {
      if (!fails) return await store.get(...args);
      failed += 1;
      throw new Error('the store does not answer');
    },
  };
  const renewedAt = async () => /"renewedAt":"(.*?)"/.exec((await store.get(key))!.bytes.toString())![1];
  const lease = await taken({ ...options, store: flaky });
  fails = true;
  time.pass(TTL / 4);
  await until(() => failed === 1 && time.waiting() === 1);
  fails = false;
  time.pass(TTL / 4);
  await until(() => time.waiting() === 1 || lease.signal.aborted);
  expect(lease.signal.aborted).toBe(false);
  expect(await renewedAt()).toBe(new Date(time.now()).toISOString());
  await lease.release();
  expect((await store.get(key))!.bytes.toString()).toContain('"holder":null');
});
