import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../../lib/failure.ts';
import type { S3Settings } from '../../../lib/config.ts';
import { faultProxy, faults } from '../../support/fault-proxy.ts';
import { seededRandom } from '../../support/random.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';
import type { TestBucket } from '../../support/s3-server.ts';
import { contentOf } from '../content.ts';
import { publishSnapshot, testLog } from '../publish.ts';
import { wholeHistory, wholeSnapshot } from './whole.ts';

const patience: Partial<S3Settings> = { AWS_MAX_ATTEMPTS: 5, S3_TIMEOUT_SECONDS: 0.7 };
const asOf = (week: number) => contentOf(week).asOf;
const bytes = (text: string) => Buffer.from(text);

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

  test.for(faults)('a request that is %s once succeeds', async (fault) => {
    let isDue = false;
    const { endpoint, met } = await through(() => {
      const due = isDue;
      isDue = false;
      return due ? fault : null;
    });
    const prefix = `once-${fault.replaceAll(/\W+/g, '-')}`;
    const store = bucket.store(prefix, { ...patience, S3_ENDPOINT: endpoint });
    const direct = bucket.store(prefix);
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
    expect((await direct.get('a'))!.bytes.toString()).toBe('2');
    expect(await faulty(() => store.get('missing'))).toBeNull();
    expect(await faulty(() => store.folders(''))).toEqual([]);
    expect(met.get(fault)).toBe(7);
  });

  test('large files are uploaded and downloaded without damage', async () => {
    const folder = await temporaryFolder();
    const content = randomBytes(9 << 20);
    await writeFile(join(folder, 'large'), content);
    const order: Fault[] = ['lost', 'damaged', 'done, then lost', 'half', 'refused 503', 'half'];
    const { endpoint, met } = await through((_, { url }) =>
      url!.includes('large') ? (order.shift() ?? null) : null,
    );
    const store = bucket.store('files', { ...patience, S3_TIMEOUT_SECONDS: 10, S3_ENDPOINT: endpoint });
    expect(await store.createFromFile('a/large', join(folder, 'large'))).toBe(true);
    expect((await readFile((await store.localFile('a/large', folder))!)).equals(content)).toBe(true);
    expect(met.size).toBe(5);
  });

  test('readers see the complete old or new snapshot, and a re-run completes', async () => {
    const random = seededRandom(1);
    const { endpoint, met } = await through(() =>
      random() < 0.3 ? faults[Math.floor(random() * faults.length)]! : null,
    );
    const direct = bucket.store('random');
    const log = { ...(await testLog(await temporaryFolder())), store: direct };
    await publishSnapshot(log, contentOf(0));
    let failures = 0;
    for (let week = 1; week <= 2; week += 1) {
      for (let isDone = false; !isDone;) {
        // A repeated job is a new process, which knows nothing about the server.
        const store = bucket.store('random', {
          ...patience,
          S3_TIMEOUT_SECONDS: 0.3,
          AWS_MAX_ATTEMPTS: 2,
          S3_ENDPOINT: endpoint,
        });
        isDone = await publishSnapshot({ ...log, store }, contentOf(week)).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(Failure);
            failures += 1;
            return false;
          },
        );
        store.close();
        expect([asOf(week), asOf(week - 1)]).toContain(await wholeSnapshot(log));
      }
      expect(await wholeSnapshot(log)).toBe(asOf(week));
    }
    expect(await wholeHistory(log)).toEqual([0, 1, 2].map(asOf));
    expect(failures).toBeGreaterThan(0);
    expect(met.size).toBeGreaterThan(4);
  });

  test.for<[Fault, string]>([
    ['refused 500', 'answers 500 InternalError'],
    ['lost', 'does not answer'],
  ])('a server whose every response is %s ends a job with one line that names it', async ([fault, text]) => {
    const { endpoint } = await through(() => fault);
    const store = bucket.store('never', {
      S3_TIMEOUT_SECONDS: 0.2,
      AWS_MAX_ATTEMPTS: 2,
      S3_ENDPOINT: endpoint,
    });
    const log = { ...(await testLog(await temporaryFolder())), store };
    const failure: unknown = await publishSnapshot(log, contentOf(0)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect(String(failure)).toContain(`${endpoint} ${text}`);
    expect(String(failure)).not.toContain('\n');
  });
});
