import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  S3Client,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe } from 'vitest';
import type { S3Settings, StoreLocation } from '../../lib/config.ts';
import { s3Store } from '../../lib/store/s3/s3.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { describeUnlessMissing, missingOf } from './requires.ts';
import { startSmallS3 } from './small-s3.ts';

const DEBIAN_PACKAGES = 'radosgw ceph-mon ceph-osd ceph-common';
const CEPH_COMMANDS = ['radosgw', 'radosgw-admin', 'ceph-mon', 'ceph-osd', 'ceph', 'monmaptool'];

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
  describeUnlessMissing(
    missingCommands(),
    `apt-get install ${DEBIAN_PACKAGES}, or set TEST_S3_ENDPOINT`,
    name,
    body,
  );
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

function missingCommands(): string[] {
  return process.env['TEST_S3_ENDPOINT'] ? [] : missingOf(CEPH_COMMANDS);
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
  /** Removes the bucket with all its objects. */
  remove(): Promise<void>;
}

/** Starts the server at its first use in the run, which takes 12 s on an idle machine. */
export async function makeBucket({ isPublic = false } = {}): Promise<TestBucket> {
  const server = await sharedServer();
  const client = clientOf(server);
  const name = `sightline-test-${randomUUID()}`;
  await client.send(
    new CreateBucketCommand({ Bucket: name, ...(isPublic ? { ACL: 'public-read-write' as const } : {}) }),
  );
  return bucketOn(server, name, () => emptyAndRemove(client, name));
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
    AWS_REGION: process.env['AWS_REGION'] ?? 'us-east-1',
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

const S3_START_MS = 480_000;

/** The first process to create the folder starts the server, which ends with the test run. */
async function sharedServer(): Promise<Server> {
  const endpoint = process.env['TEST_S3_ENDPOINT'];
  if (endpoint) {
    const accessKeyId = process.env['AWS_ACCESS_KEY_ID'] ?? 'test';
    const secretAccessKey = process.env['AWS_SECRET_ACCESS_KEY'] ?? 'testtest';
    return { endpoint, accessKeyId, secretAccessKey };
  }
  const owner = isMainThread ? process.ppid : process.pid;
  const folder = join(tmpdir(), `sightline-s3-${owner}`);
  if ((await mkdir(folder, { recursive: true })) !== undefined) {
    const program = fileURLToPath(new URL('./s3-server.process.ts', import.meta.url));
    const options = { detached: true, stdio: 'ignore' } as const;
    spawn(process.execPath, [program, folder, String(owner)], options).unref();
  }
  for (const until = Date.now() + S3_START_MS; Date.now() < until; await sleep(100)) {
    if (existsSync(join(folder, 'failed.txt'))) {
      throw new Error(await readFile(join(folder, 'failed.txt'), 'utf8'));
    }
    if (existsSync(join(folder, 'ready.json'))) {
      return JSON.parse(await readFile(join(folder, 'ready.json'), 'utf8')) as Server;
    }
  }
  throw new Error(`the S3 server in ${folder} was not ready within ${S3_START_MS} ms`);
}

function clientOf({ endpoint, accessKeyId, secretAccessKey }: Server): S3Client {
  return new S3Client({
    endpoint,
    region: process.env['AWS_REGION'] ?? 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
}

async function emptyAndRemove(client: S3Client, name: string): Promise<void> {
  for await (const { Contents } of paginateListObjectsV2({ client }, { Bucket: name })) {
    const keys = (Contents ?? []).map(({ Key }) => ({ Key: Key! }));
    if (keys.length > 0)
      await client.send(new DeleteObjectsCommand({ Bucket: name, Delete: { Objects: keys, Quiet: true } }));
  }
  await client.send(new DeleteBucketCommand({ Bucket: name }));
  client.destroy();
}
