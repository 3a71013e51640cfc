import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  S3Client,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import type { S3Settings, StoreLocation } from '../../lib/config.ts';
import { s3Store } from '../../lib/store/s3/s3.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { describeUnlessMissing, missingOf } from './requires.ts';
import { until } from './until.ts';

const DEBIAN_PACKAGES = 'radosgw ceph-mon ceph-osd ceph-common';
const CEPH_COMMANDS = ['radosgw', 'radosgw-admin', 'ceph-mon', 'ceph-osd', 'ceph', 'monmaptool'];

const REGION = 'us-east-1';

interface Server {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * `describe` for tests of `npm run test:all` on a real S3 server. If there is none they are skipped, under a name that
 * says what to install, which the report repeats at its end. In CI a skipped test fails the run.
 */
export function describeS3(name: string, body: () => void): void {
  describeUnlessMissing(missingOf(CEPH_COMMANDS), `apt-get install ${DEBIAN_PACKAGES}`, name, body);
}

/** As {@link describeS3}, with a bucket for its tests. */
export function describeWithBucket(name: string, body: (bucket: () => TestBucket) => void): void {
  describeS3(name, () => {
    let bucket: TestBucket;
    beforeAll(async () => {
      bucket = await makeBucket();
    });
    afterAll(() => bucket.remove());
    body(() => bucket);
  });
}

/** A new bucket on the S3 server that all test files of a run share. */
export interface TestBucket {
  name: string;
  /** A location below the bucket; opened by `openStore(location, settings)`. */
  location(prefix?: string): StoreLocation & { kind: 's3' };
  settings: S3Settings;
  /** The environment of child processes, with server and credentials. */
  environment: Record<string, string>;
  store(prefix?: string, settings?: Partial<S3Settings>): ObjectStore;
  /** Removes the bucket with all its objects: the server keeps them in memory. */
  remove(): Promise<void>;
}

/** Starts the server at its first use in the run, which takes 12 s on an idle machine. */
export async function makeBucket(): Promise<TestBucket> {
  const { endpoint, accessKeyId, secretAccessKey } = await sharedServer();
  const name = `sightline-test-${randomUUID()}`;
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  const environment = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_REGION: REGION,
    S3_ENDPOINT: endpoint,
    S3_FORCE_PATH_STYLE: 'true',
  };
  Object.assign(process.env, environment);
  const settings = {
    S3_ENDPOINT: endpoint,
    S3_FORCE_PATH_STYLE: true,
    AWS_MAX_ATTEMPTS: 4,
    S3_TIMEOUT_SECONDS: 10,
  };
  const location = (prefix = '') => ({
    kind: 's3' as const,
    bucket: name,
    prefix,
    url: `s3://${name}${prefix === '' ? '' : `/${prefix}`}`,
  });
  return {
    name,
    location,
    settings,
    environment,
    store: (prefix = '', others = {}) => s3Store(location(prefix), { ...settings, ...others }),
    remove: () => emptyAndRemove(client, name),
  };
}

async function emptyAndRemove(client: S3Client, Bucket: string): Promise<void> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    const Objects = Contents.map(({ Key }) => ({ Key: Key! }));
    if (Objects.length > 0)
      await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
  }
  await client.send(new DeleteBucketCommand({ Bucket }));
  client.destroy();
}

const S3_START_SECONDS = 480;

/** The first process to create the folder starts the server, which ends with the test run. */
async function sharedServer(): Promise<Server> {
  const owner = isMainThread ? process.ppid : process.pid;
  const folder = join(tmpdir(), `sightline-s3-${owner}`);
  const [ready, failed] = [join(folder, 'ready.json'), join(folder, 'failed.txt')];
  if ((await mkdir(folder, { recursive: true })) !== undefined) {
    const program = fileURLToPath(new URL('./ceph.process.ts', import.meta.url));
    const options = { detached: true, stdio: 'ignore' } as const;
    spawn(process.execPath, [program, folder, String(owner)], options).unref();
  }
  const isDecided = () => existsSync(ready) || existsSync(failed);
  await until(isDecided, `an S3 server in ${folder}`, { withinSeconds: S3_START_SECONDS, everyMs: 100 });
  if (existsSync(failed)) throw new Error(await readFile(failed, 'utf8'));
  return JSON.parse(await readFile(ready, 'utf8')) as Server;
}
