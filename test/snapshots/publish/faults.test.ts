import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import type { S3Settings } from '../../../lib/config.ts';
import { faultProxy, faults } from '../../support/fault-proxy.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { seededRandom } from '../../support/random.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { readAll } from '../log/intact.ts';
import { smallContent, workspaceOf } from '../log/places.ts';
import { publishSnapshot, testLog } from '../publish.ts';
import type { TestLog } from '../publish.ts';

const bytes = (text: string) => Buffer.from(text);

/** How many snapshots are published; everything that the log names is whole. */
async function published(log: TestLog): Promise<number> {
  return (await readAll(log)).published.get(workspaceOf(0))!.length;
}

describeS3('with an S3 server that fails', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });
  afterAll(() => bucket.remove());

  async function through(choose: Parameters<typeof faultProxy>[1]) {
    const proxy = await faultProxy(bucket.settings.S3_ENDPOINT!, choose);
    onTestFinished(() => proxy.close());
    return proxy;
  }

  const storeAt = (prefix: string, endpoint: string, settings: Partial<S3Settings>) =>
    bucket.store(prefix, { AWS_MAX_ATTEMPTS: 2, S3_ENDPOINT: endpoint, ...settings });

  /** Each operation meets the fault once. */
  async function succeedsAfter(fault: Fault): Promise<void> {
    let isDue = false;
    const { endpoint, met } = await through(() => {
      const due = isDue;
      isDue = false;
      return due ? fault : null;
    });
    const prefix = `once-${fault.replaceAll(/\W+/g, '-')}`;
    const store = storeAt(prefix, endpoint, { AWS_MAX_ATTEMPTS: 5, S3_TIMEOUT_SECONDS: 0.7 });
    const faulty = async <T>(work: () => Promise<T>): Promise<T> => {
      isDue = true;
      return await work();
    };
    await store.create('first', bytes('first')); // checks the conditions of the server
    expect(await faulty(() => store.create('a', bytes('1')))).toBe(true);
    expect(await faulty(() => store.create('a', bytes('1')))).toBe(false);
    const held = (await faulty(() => store.get('a')))!;
    expect(held.bytes.toString()).toBe('1');
    expect(await faulty(() => store.swap('a', bytes('2'), held.version))).toBe(true);
    expect(await faulty(() => store.swap('a', bytes('3'), held.version))).toBe(false);
    expect((await bucket.store(prefix).get('a'))!.bytes.toString()).toBe('2');
    expect(await faulty(() => store.get('missing'))).toBeNull();
    expect(await faulty(() => store.folders(''))).toEqual([]);
    expect(met.get(fault)).toBe(7);
  }

  test('a request that fails once, in any way, succeeds', async () => {
    await Promise.all(faults.map(succeedsAfter));
  });

  test('readers see the complete old or new snapshot, and a re-run completes', async () => {
    const random = seededRandom(1);
    const { endpoint, met } = await through(() =>
      random() < 0.25 ? faults[Math.floor(random() * faults.length)]! : null,
    );
    const log = { ...(await testLog(await temporaryFolder())), store: bucket.store('random') };
    await publishSnapshot(log, smallContent(0, 0));
    let failures = 0;
    for (let week = 1; failures < 3; week += 1) {
      for (let isDone = false; !isDone;) {
        // A repeated job is a new process, which knows nothing about the server.
        const store = storeAt('random', endpoint, { S3_TIMEOUT_SECONDS: 0.3 });
        const outcome: unknown = await publishSnapshot({ ...log, store }, smallContent(0, week)).catch(
          (error: unknown) => error,
        );
        store.close();
        isDone = !(outcome instanceof Failure);
        if (!isDone) failures += 1;
        expect(isDone ? [week + 1] : [week, week + 1]).toContain(await published(log));
      }
    }
    expect(met.size).toBeGreaterThan(4);
  });
});
