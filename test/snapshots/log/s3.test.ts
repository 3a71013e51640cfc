import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { workspaceOf } from './entries.ts';
import { expectIntact } from './intact.ts';
import { newSigner, placeOf, publishAll, withdraw } from './places.ts';
import type { Place } from './places.ts';

describeS3('a log on S3', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  async function inBucket(name: string): Promise<Place> {
    const stores = { store: bucket.store(`${name}-store`), lake: bucket.store(`${name}-lake`) };
    return { ...placeOf(await newSigner()), ...stores };
  }

  test('is committed, completed, repaired, and signed by the next key', async () => {
    const place = await inBucket('usual');
    await publishAll(place, 0, [0, 1]);
    await place.store.delete(CHECKPOINT_KEY);
    await publishAll(place, 1, [0]);
    await withdraw(place, 1);
    const keys: string[] = [];
    for await (const { key } of place.store.list('log/')) keys.push(key);
    for (const key of keys) await place.store.delete(key);
    expect((await repairLog(place)).written.length).toBeGreaterThan(1);
    const next = await newSigner();
    await rotateLog(place, next);
    const rotated = { ...place, signer: next, trust: next.trust };
    await publishAll(rotated, 2, [0]);
    expect((await expectIntact(rotated)).get(workspaceOf(0))).toHaveLength(3);
  });

  test('contains what each of four publishers published at once', async () => {
    const place = await inBucket('race');
    await Promise.all([0, 1, 2, 3].map((number) => publishAll(place, number, [number, 7])));
    const published = await expectIntact(place);
    expect(published.get(workspaceOf(7))).toHaveLength(4);
    expect([0, 1, 2, 3].map((number) => published.get(workspaceOf(number))?.length)).toEqual([1, 1, 1, 1]);
  });
});
