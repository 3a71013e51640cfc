import { afterAll, beforeAll, expect, test } from 'vitest';
import { leaseTaker } from '../../../jobs/schedule/lease.ts';
import type { Lease } from '../../../jobs/schedule/lease.ts';
import { leaseKey } from '../../../snapshots/layout.ts';
import { fakeTime } from '../../support/fake-time.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { until } from '../../support/until.ts';

describeS3('the lease in S3', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  test('is one scheduler’s, who renews it, until it is given back or stands still', async () => {
    const time = fakeTime('2026-11-16T06:00:00Z');
    const store = bucket.store('schedule');
    const common = { store, key: leaseKey('all'), ttlMs: 60_000, clock: time, timer: time, host: 'one' };
    const takers = Array.from({ length: 6 }, (_, pid) => leaseTaker({ ...common, pid }));
    const answers = await Promise.all(takers.map(async (taker) => await taker.acquire()));
    const leases = answers.filter((answer): answer is Lease => 'release' in answer);
    expect(leases).toHaveLength(1);
    const other = takers[answers.findIndex((answer) => !('release' in answer))]!;
    for (let quarter = 0; quarter < 6; quarter++) {
      time.pass(15_000);
      await until(() => time.waiting() === 1);
      expect(await other.acquire()).toHaveProperty('holder');
    }
    expect(leases[0]!.signal.aborted).toBe(false);
    await leases[0]!.release();
    const next = await other.acquire();
    expect(next).toHaveProperty('release');
    await (next as Lease).release();
  });
});
