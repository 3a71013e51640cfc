import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { s3Store } from '../../../../lib/store/s3/s3.ts';
import type { ObjectStore } from '../../../../lib/store/store.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { startSmallS3 } from '../../../support/small-s3.ts';
import type { Manner } from '../../../support/small-s3.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test').stubEnv('AWS_SECRET_ACCESS_KEY', 'testtest');
  onTestFinished(() => void vi.unstubAllEnvs());
});

async function serve(manner: Manner): Promise<ObjectStore> {
  const { endpoint, close } = await startSmallS3('bucket', manner);
  onTestFinished(close);
  const settings = {
    S3_ENDPOINT: endpoint,
    S3_FORCE_PATH_STYLE: true,
    AWS_MAX_ATTEMPTS: 1,
    S3_TIMEOUT_SECONDS: 5,
  };
  return s3Store({ kind: 's3', bucket: 'bucket', prefix: '', url: '' }, settings);
}

/** Understands the ETag in If-Match in this format only. */
const accepts =
  (format: RegExp): Manner =>
  (headers) => {
    const given = headers['if-match'];
    if (given === undefined) return null;
    headers['if-match'] = `"${given.replaceAll('"', '')}"`;
    return format.test(given) ? null : 412;
  };
const ignores =
  (...names: ('if-match' | 'if-none-match')[]): Manner =>
  (headers) => {
    for (const name of names) Reflect.deleteProperty(headers, name);
    return null;
  };

test.for<[string, RegExp]>([
  ['quoted', /^"/],
  ['bare', /^[^"]/],
])('an S3 server that accepts ETags only %s in If-Match gets that format', async ([, format]) => {
  const store = await serve(accepts(format));
  expect(await store.create('pointer', Buffer.from('1'))).toBe(true);
  const { version } = (await store.get('pointer'))!;
  expect(await store.swap('pointer', Buffer.from('2'), version)).toBe(true);
  expect(await store.swap('pointer', Buffer.from('3'), version)).toBe(false);
  expect((await store.get('pointer'))!.bytes.toString()).toBe('2');
});

test.for<[string, Manner]>([
  ['ignores If-Match on writes', ignores('if-match')],
  ['ignores If-None-Match on writes', ignores('if-none-match')],
  ['ignores If-None-Match on writes', ignores('if-match', 'if-none-match')],
  ['refuses every If-Match', accepts(/^$/)],
  ['answers 501', (headers) => (headers['if-match'] === undefined ? null : 501)],
])('an S3 server that %s is refused before anything is written', async ([reason, manner]) => {
  const store = await serve(manner);
  await expect(store.swap('pointer', Buffer.from('1'), null)).rejects.toThrow(reason);
  await expect(store.create('document', Buffer.from('1'))).rejects.toThrow(reason);
  for (const key of ['pointer', 'document']) expect(await store.get(key)).toBeNull();
});

test('a bucket with Object Lock gets one of the required digests with every write, and a file with another one is refused', async () => {
  const store = await serve((headers) => {
    headers['x-amz-meta-sha256'] = 'of other bytes';
    return headers['content-md5'] === undefined && headers['x-amz-checksum-sha256'] === undefined
      ? 400
      : null;
  });
  const folder = await temporaryFolder();
  const file = join(folder, 'runs.parquet');
  await writeFile(file, Buffer.alloc(8 * 1024 * 1024 + 1, 'runs'));
  expect(await store.create('document', Buffer.from('{}'))).toBe(true);
  expect(await store.swap('pointer', Buffer.from('1'), null)).toBe(true);
  expect(await store.swap('pointer', Buffer.from('2'), (await store.get('pointer'))!.version)).toBe(true);
  expect(await store.createFromFile('runs', file)).toBe(true);
  const refusal = 's3://bucket/runs does not contain the bytes it was written with';
  await expect(store.localFile('runs', folder)).rejects.toThrow(refusal);
});
