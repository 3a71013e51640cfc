import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe } from 'vitest';
import type { S3Settings, StoreLocation } from '../../lib/config.ts';
import { s3Store } from '../../lib/store/s3/s3.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { describeUnlessMissing, missingOf } from './requires.ts';
import { startSmallS3 } from './small-s3.ts';
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

/** Tests on a small server in this process, and on the real one, each with a bucket of its own. */
export function describeEachS3(name: string, body: (bucket: () => TestBucket) => void): void {
  const withBucket = (make: () => Promise<TestBucket>) => {
    let bucket: TestBucket;
    beforeAll(async () => {
      bucket = await make();
    });
    afterAll(() => bucket.remove());
    body(() => bucket);
  };
  describe(`${name}, on a small server`, () => {
    withBucket(makeSmallBucket);
  });
  describeS3(name, () => withBucket(makeBucket));
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
  /** Ends a server that only this bucket has. */
  remove(): Promise<void>;
}

/** Starts the server at its first use in the run, which takes 12 s on an idle machine. */
export async function makeBucket(): Promise<TestBucket> {
  const { endpoint, ...credentials } = await sharedServer();
  const name = `sightline-test-${randomUUID()}`;
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: name }));
  client.destroy();
  // The server keeps everything in memory, and ends with the run.
  return bucketOn({ endpoint, ...credentials }, name, () => Promise.resolve());
}

/** A bucket of its own on a server in this process. */
async function makeSmallBucket(): Promise<TestBucket> {
  const name = 'small-bucket';
  const { endpoint, close } = await startSmallS3(name);
  const bucket = bucketOn({ endpoint, accessKeyId: 'test', secretAccessKey: 'testtest' }, name, close);
  // Server and client share a process: next to other programs a request may wait long.
  return {
    ...bucket,
    store: (prefix, others) => bucket.store(prefix, { S3_TIMEOUT_SECONDS: 60, ...others }),
  };
}

function bucketOn(server: Server, name: string, remove: () => Promise<void>): TestBucket {
  const environment = {
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
    AWS_REGION: REGION,
    S3_ENDPOINT: server.endpoint,
    S3_FORCE_PATH_STYLE: 'true',
  };
  Object.assign(process.env, environment);
  const settings = {
    S3_ENDPOINT: server.endpoint,
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
    remove,
  };
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
