import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pMap from 'p-map';
import type { S3Settings, StoreLocation } from '../../config.ts';
import { Failure } from '../../failure.ts';
import { once } from '../../once.ts';
import type { S3Bucket, Upload } from './bucket.ts';
import { probeConditions } from './conditions.ts';
import type { ObjectInfo, ObjectStore } from '../store.ts';

/** Files up to this size are sent from memory; larger ones are streamed. */
const IN_MEMORY_BYTES = 8 << 20;
const WRITES_AT_ONCE = 32;
/** S3's limit for one write. Most servers do not support conditions on multipart uploads. */
const WRITE_BYTES_MAX = 5 * 1024 ** 3;

/**
 * Objects below a prefix of an S3 bucket. Create-once is `If-None-Match: *`, compare-and-swap is `If-Match`; a server
 * that ignores either is detected and refused before the first write (conditions.ts). The AWS SDK is loaded at the first
 * use: that takes a quarter of a second, which commands that use no S3 should not wait for.
 */
export function s3Store(location: StoreLocation & { kind: 's3' }, settings: S3Settings): ObjectStore {
  let opened: S3Bucket | undefined;
  const bucket = once(async () => {
    const { S3Bucket: Bucket } = await import('./bucket.ts');
    return (opened = new Bucket(location.bucket, settings));
  });
  const base = location.prefix === '' ? '' : `${location.prefix}/`;
  const url = `s3://${location.bucket}${base === '' ? '' : `/${location.prefix}`}`;
  const conditions = once(async () => await probeConditions(await bucket(), base, url));
  const create = async (key: string, content: Uint8Array | Upload) => {
    await conditions();
    return (await (await bucket()).put(base + key, content, 'holds nothing')) !== null;
  };
  return {
    url,
    async get(key, mostBytes) {
      const object = await (await bucket()).get(base + key, mostBytes);
      return object === null ? null : { bytes: object.bytes, version: object.etag };
    },
    create,
    createMany: async (entries) =>
      await pMap(entries, ({ key, bytes }) => create(key, bytes), { concurrency: WRITES_AT_ONCE }),
    createFromFile: async (key, path) => await create(key, await contentOf(path)),
    async swap(key, bytes, expected) {
      if (expected === null) return await create(key, bytes);
      const { formatETag } = await conditions();
      const condition = { holds: formatETag(expected) };
      return (await (await bucket()).put(base + key, bytes, condition)) !== null;
    },
    async *list(prefix) {
      yield* visible((await bucket()).list(base + prefix), base);
    },
    async folders(prefix) {
      const names: string[] = [];
      for await (const folder of (await bucket()).folders(base + prefix))
        names.push(folder.slice(base.length + prefix.length, -1));
      return names.filter((name) => !name.startsWith('.'));
    },
    localFile: async (key, scratch) => await fetchOnce(await bucket(), base + key, join(scratch, 's3', key)),
    delete: async (key) => await (await bucket()).delete(base + key),
    check: async () => void (await (await bucket()).check(base)),
    probe: async () => void (await conditions()),
    time: async () => await (await bucket()).check(base),
    close: () => opened?.close(),
  };
}

/** Skips names that start with a dot, as the directory store does. */
async function* visible(objects: AsyncIterable<ObjectInfo>, base: string): AsyncGenerator<ObjectInfo> {
  for await (const { key, ...info } of objects) {
    const own = key.slice(base.length);
    if (!own.split('/').some((name) => name.startsWith('.'))) yield { key: own, ...info };
  }
}

/** Returns a file that is already there: objects that are fetched never change, and a partial file has another name. */
async function fetchOnce(bucket: S3Bucket, key: string, file: string): Promise<string | null> {
  if (await stat(file).catch(() => null)) return file;
  await mkdir(dirname(file), { recursive: true });
  const unfinished = `${file}.${randomUUID()}`;
  try {
    if (!(await bucket.download(key, unfinished))) return null;
    await rename(unfinished, file);
    return file;
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function contentOf(path: string): Promise<Uint8Array | Upload> {
  const { size } = await stat(path);
  if (size <= IN_MEMORY_BYTES) return await readFile(path);
  if (size > WRITE_BYTES_MAX)
    throw new Failure(`${path} is larger than 5 GiB, the limit of S3 for one write`);
  const [md5, sha256] = [createHash('md5'), createHash('sha256')];
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    md5.update(chunk as Buffer);
    sha256.update(chunk as Buffer);
  }
  return { path, bytes: size, md5Base64: md5.digest('base64'), sha256Hex: sha256.digest('hex') };
}
