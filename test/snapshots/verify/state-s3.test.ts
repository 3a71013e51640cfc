import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { pointerKey, receiptKey, snapshotPrefix } from '../../../snapshots/layout.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { auditIn } from '../audit-program.ts';
import { keysOf, publishWeek, workspaceIds } from '../history.ts';

const newFolder = temporaryFolders();

const [workspaceId] = workspaceIds;

describeS3('verify with its state in S3', () => {
  let bucket: TestBucket;
  let folder: string;
  let store: ObjectStore;
  let number = 0;
  let prefix: string;

  beforeAll(async () => {
    bucket = await makeBucket();
    folder = await newFolder();
  });
  afterAll(() => bucket.remove());
  beforeEach(() => {
    prefix = `case-${(number += 1)}`;
    store = bucket.store(`${prefix}/store`);
    return () => store.close();
  });

  const stateKey = () => `${prefix}/audit/verify.json`;
  const verify = async (state = bucket.location(stateKey()).url) =>
    await auditIn(
      folder,
      { ...bucket.environment, STORE_URL: bucket.location(`${prefix}/store`).url },
      'verify',
      '--json',
      '--state',
      state,
    );

  async function readState(): Promise<{ heads: { snapshotId: string }[] } | null> {
    const everything = bucket.store();
    const object = await everything.get(stateKey());
    everything.close();
    return object === null ? null : (JSON.parse(object.bytes.toString()) as { heads: [] });
  }

  test('stores the state of an intact store, and replaces it the next time', async () => {
    const first = await publishWeek(store, workspaceId, '2026-11-02');
    const began = await verify();
    expect([began.status, began.complaint]).toEqual([0, expect.stringContaining('verify.json is new: ')]);
    expect(await readState()).toMatchObject({ heads: [{ workspaceId, snapshotId: first }] });

    const second = await publishWeek(store, workspaceId, '2026-11-09');
    expect(await verify()).toMatchObject({ status: 0, complaint: '' });
    expect(await readState()).toMatchObject({ heads: [{ workspaceId, snapshotId: second }] });
  });

  test('finds a snapshot that was removed with all its traces, and then does not change the state', async () => {
    const first = await publishWeek(store, workspaceId, '2026-11-02');
    const second = await publishWeek(store, workspaceId, '2026-11-09');
    expect(await verify()).toMatchObject({ status: 0 });
    const before = await readState();

    const receipt = await store.get(receiptKey(workspaceId, first));
    const pointer = await store.get(pointerKey(workspaceId));
    expect(await store.swap(pointerKey(workspaceId), receipt!.bytes, pointer!.version)).toBe(true);
    for (const key of await keysOf(store))
      if (key.startsWith(snapshotPrefix(workspaceId, second))) await store.delete(key);

    const nights = [await verify(), await verify()];
    for (const { status, json } of nights) {
      expect(status).toBe(1);
      expect(json()).toMatchObject({ isIntact: false, problems: [{ kind: 'replaced' }] });
    }
    expect(await readState()).toEqual(before);
  });

  test.each([
    ['a bucket that does not exist', 's3://sightline-no-such-bucket/verify.json', /bucket does not exist/],
    ['a bucket without a key', 's3://sightline-no-such-bucket', /neither a file nor s3:\/\/bucket\/key/],
  ])('with %s could not look: status 3 and one line', async (_what, state, message) => {
    await publishWeek(store, workspaceId, '2026-11-02');
    const failed = await verify(state);
    expect(failed).toMatchObject({ status: 3, output: '' });
    expect(failed.complaint).toMatch(message);
    expect(failed.complaint.trim().split('\n')).toHaveLength(1);
  });
});
