import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Unreachable } from '../../../../lib/failure.ts';
import { isPassing, s3Failure } from '../../../../lib/store/s3/failure.ts';
import { faultProxy, faults } from '../../../support/fault-proxy.ts';
import { describeEachS3 } from '../../../support/s3-server.ts';

const bytes = (text: string) => Buffer.from(text);

describeEachS3('with an S3 server that fails', (bucket) => {
  test.concurrent.for(faults)(
    'every request that once meets "%s" succeeds',
    async (fault, { onTestFinished }) => {
      let isDue = false;
      const proxy = await faultProxy(bucket().settings.S3_ENDPOINT!, () => {
        const due = isDue;
        isDue = false;
        return due ? fault : null;
      });
      onTestFinished(() => proxy.close());
      const prefix = fault.replaceAll(/\W+/g, '-');
      const store = bucket().store(prefix, {
        S3_ENDPOINT: proxy.endpoint,
        AWS_MAX_ATTEMPTS: 5,
        // Other requests may wait long for a busy machine.
        S3_TIMEOUT_SECONDS: fault === 'stalled' ? 1 : 60,
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
      expect((await bucket().store(prefix).get('a'))!.bytes.toString()).toBe('2');
      expect(await faulty(() => store.get('missing'))).toBeNull();
      expect(await faulty(() => store.folders(''))).toEqual([]);
      expect(proxy.met.get(fault)).toBe(7);
    },
  );
});

const answered = (httpStatusCode: number, name = 'Unknown') => ({ name, $metadata: { httpStatusCode } });

test('every error of a server or of the AWS SDK is a message of golden/failures.txt, with what a retry may bring', async () => {
  const errors = [
    ...[300, 301, 400, 401, 403, 404, 409, 412, 429, 500, 501, 503].map((status) => answered(status)),
    answered(404, 'NoSuchBucket'),
    answered(403, 'SignatureDoesNotMatch'),
    answered(403, 'RequestTimeTooSkewed'),
    answered(400, 'BadDigest'),
    answered(400, 'InvalidArgument'),
    { name: 'TimeoutError' },
    ...['ECONNREFUSED', 'ENOTFOUND', 'EPROTO'].map((code) => Object.assign(new Error('no answer'), { code })),
    Object.assign(new Error('none'), { name: 'CredentialsProviderError' }),
    new Error('Region is missing'),
    new Unreachable('it is away'),
  ];
  const lines = errors.map((error) => {
    const failure = s3Failure(error, 'read', { url: 's3://b/x', server: 'http://s3.example' });
    const kind = failure instanceof Unreachable ? 'nothing is known' : 'refused';
    return `${failure.message} (${kind}${isPassing(error) ? ', is repeated' : ''})\n`;
  });
  await expect(lines.join('')).toMatchFileSnapshot(join(import.meta.dirname, 'golden/failures.txt'));
});
