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

test('of many that take it at once one gets it', async () => {
  const { options } = await setUp();
  const many = Array.from({ length: 12 }, (_, pid) => leaseTaker({ ...options, pid }).acquire());
  const got = (await Promise.all(many)).filter((lease) => !('holder' in lease));
  expect(got).toHaveLength(1);
  await (got[0] as Lease).release();
});

test('a holder that renews keeps it from others, however long it works, and gives it back at once', async () => {
  const { time, store, options } = await setUp();
  const lease = await taken(options);
  const other = leaseTaker({ ...options, host: 'two', pid: 2 });
  for (let quarter = 0; quarter < 12; quarter++) {
    const before = (await store.get(key))!.version;
    expect(await other.acquire()).toEqual({ holder: 'one, process 1' });
    time.pass(TTL / 4);
    await until(() => time.waiting() === 1); // it was renewed, and waits for the next time
    expect((await store.get(key))!.version).not.toBe(before);
  }
  expect(lease.signal.aborted).toBe(false);
  await lease.release();
  const next = await other.acquire();
  expect(next).toHaveProperty('release');
  await (next as Lease).release();
});

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

test('a holder that was held up knows that it is not its own any more, and leaves the next one’s alone', async () => {
  const { time, store, options } = await setUp();
  const wakes = Promise.withResolvers<undefined>();
  const stalled = await taken({ ...options, timer: { wait: async () => await wakes.promise } });
  const other = leaseTaker({ ...options, host: 'two' });
  await other.acquire();
  time.pass(TTL);
  const next = (await other.acquire()) as Lease;
  const there = (await store.get(key))!.version;
  wakes.resolve(undefined);
  await until(() => stalled.signal.aborted);
  expect(String(stalled.signal.reason)).toMatch(/was lost/);
  expect(next.signal.aborted).toBe(false);
  expect((await store.get(key))!.version).toBe(there);
  await next.release();
});

test('a holder whose lease somebody else took learns of it when it renews', async () => {
  const { time, store, options } = await setUp();
  const lease = await taken(options);
  const object = (await store.get(key))!;
  const text = object.bytes
    .toString()
    .replace('one', 'two')
    .replace(/"holder":".*?"/, '"holder":"another"');
  await store.swap(key, Buffer.from(text), object.version);
  time.pass(TTL / 4);
  await until(() => lease.signal.aborted);
  expect(String(lease.signal.reason)).toMatch(/was lost/);
  await lease.release();
  expect((await store.get(key))!.bytes.toString()).toContain('"host":"two"');
});

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

test('a write that is told to have failed, and yet was done, is taken for what it is', async () => {
  const { options, store } = await setUp();
  const forgetful: ObjectStore = { ...store, swap: async (...args) => (await store.swap(...args)) && false };
  const lease = await taken({ ...options, store: forgetful });
  expect(lease.signal.aborted).toBe(false);
  await lease.release();
});
