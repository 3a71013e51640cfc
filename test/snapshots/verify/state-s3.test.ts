import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { CHECKPOINT_KEY } from '../../../snapshots/layout.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { auditIn } from '../audit-program.ts';
import { workspaceIds } from '../history.ts';
import { publishWeek, testLog } from '../publish.ts';
import type { TestLog } from '../publish.ts';

const newFolder = temporaryFolders();

const [workspaceId] = workspaceIds;

describeS3('verify with its state in S3', () => {
  let bucket: TestBucket;
  let folder: string;
  let store: ObjectStore;
  let log: TestLog;
  let number = 0;
  let prefix: string;

  beforeAll(async () => {
    bucket = await makeBucket();
    folder = await newFolder();
  });
  afterAll(() => bucket.remove());
  beforeEach(async () => {
    prefix = `case-${(number += 1)}`;
    store = bucket.store(`${prefix}/store`);
    log = { ...(await testLog(await newFolder())), store };
    return () => store.close();
  });

  const stateKey = () => `${prefix}/audit/verify.json`;
  const verify = async (state = bucket.location(stateKey()).url) =>
    await auditIn(
      folder,
      {
        ...bucket.environment,
        STORE_URL: bucket.location(`${prefix}/store`).url,
        LOG_ORIGIN: log.origin,
        PUBLIC_KEY_FILE: log.keys.publicKey,
      },
      'verify',
      '--json',
      '--state',
      state,
    );

  async function readState(): Promise<Buffer | null> {
    const everything = bucket.store();
    const object = await everything.get(stateKey());
    everything.close();
    return object && object.bytes;
  }
  const publish = async (week: string) => await publishWeek(log, workspaceId, week);
  const checkpoint = async () => (await store.get(CHECKPOINT_KEY))!;

  test('keeps the checkpoint of an intact log, and replaces it the next time', async () => {
    await publish('2026-11-02');
    const began = await verify();
    expect([began.status, began.complaint]).toEqual([0, expect.stringContaining('verify.json is new: ')]);
    expect(await readState()).toEqual((await checkpoint()).bytes);

    await publish('2026-11-09');
    expect(await verify()).toMatchObject({ status: 0, complaint: '' });
    expect(await readState()).toEqual((await checkpoint()).bytes);
  });
});
