import { beforeAll, test } from 'vitest';
import { faultProxy, faults } from '../../../support/fault-proxy.ts';
import { describeS3, makeBucket } from '../../../support/s3-server.ts';
import type { TestBucket } from '../../../support/s3-server.ts';

const bytes = (text: string) => Buffer.from(text);

describeS3('with an S3 server that fails', () => {
  let bucket: TestBucket;
  beforeAll(async () => {
    bucket = await makeBucket();
  });

  test.concurrent.for(faults)(
    'every request that once meets "%s" succeeds',
    async (fault, { expect, onTestFinished }) => {
      let isDue = false;
      const proxy = await faultProxy(bucket.settings.S3_ENDPOINT!, () => {
        const due = isDue;
        isDue = false;
        return due ? fault : null;
      });
      onTestFinished(() => proxy.close());
      const prefix = fault.replaceAll(/\W+/g, '-');
      const store = bucket.store(prefix, {
        S3_ENDPOINT: proxy.endpoint,
        AWS_MAX_ATTEMPTS: 5,
        S3_TIMEOUT_SECONDS: 0.7,
      });
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
      expect(proxy.met.get(fault)).toBe(7);
    },
  );
});
