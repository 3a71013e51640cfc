import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { s3Store } from '../../../../lib/store/s3/s3.ts';
import type { ObjectStore } from '../../../../lib/store/store.ts';
import { temporaryFolder } from '../../../support/folder.ts';

/** The behaviour of a simulated server for conditional writes; no real server has all of these. */
interface Manners {
  heeds: ('if-none-match' | 'if-match')[];
  /** The format of the ETag in If-Match that it accepts. */
  etags: 'quoted' | 'bare' | 'either' | 'neither';
  /** The status for conditions that it does not support; if absent, it ignores them and writes. */
  refusesWith?: number;
  /** How many times a read is followed by another client's write of the same bytes, which changes the ETag. */
  overtakes?: number;
}

interface Stored {
  body: Buffer;
  etag: string;
  /** The correct ones of the two digest headers, of which a bucket with Object Lock requires one. */
  digests: string[];
}

async function serve(manners: Manners): Promise<{ store: ObjectStore; objects: Map<string, Stored> }> {
  const objects = new Map<string, Stored>();
  let overtakes = manners.overtakes ?? 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    const status = request.method === 'PUT' ? put(objects, manners, request, body) : 200;
    const found = objects.get(request.url!.replace(/\?.*/, ''));
    response.statusCode = found === undefined ? 404 : status;
    if (found !== undefined) response.setHeader('etag', `"${found.etag}"`);
    if (found !== undefined && request.method === 'GET' && overtakes-- > 0)
      found.etag = `${overtakes}`.padStart(32, 'a');
    response.end(request.method === 'GET' ? found?.body : undefined);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    S3_ENDPOINT: endpoint,
    S3_FORCE_PATH_STYLE: true,
    AWS_MAX_ATTEMPTS: 1,
    S3_TIMEOUT_SECONDS: 5,
  };
  return { store: s3Store({ kind: 's3', bucket: 'bucket', prefix: '', url: '' }, settings), objects };
}

function put(
  objects: Map<string, Stored>,
  { heeds, etags, refusesWith }: Manners,
  { url, headers }: IncomingMessage,
  body: Buffer,
): number {
  const key = url!.replace(/\?.*/, '');
  const there = objects.get(key);
  const conditions = (['if-none-match', 'if-match'] as const).filter((name) => headers[name] !== undefined);
  const unknown = conditions.some((name) => !heeds.includes(name));
  if (unknown && refusesWith !== undefined) return refusesWith;
  if (heeds.includes('if-none-match') && headers['if-none-match'] === '*' && there !== undefined) return 412;
  const accepted = [
    etags === 'quoted' || etags === 'either' ? `"${there?.etag}"` : '',
    etags === 'bare' || etags === 'either' ? there?.etag : '',
  ];
  if (heeds.includes('if-match') && 'if-match' in headers && !accepted.includes(headers['if-match']))
    return 412;
  const etag = createHash('md5').update(body).digest('hex');
  objects.set(key, { body, etag, digests: digestsOf(body, headers) });
  return 200;
}

function digestsOf(body: Buffer, headers: IncomingMessage['headers']): string[] {
  const right = {
    'content-md5': createHash('md5').update(body).digest('base64'),
    'x-amz-checksum-sha256': createHash('sha256').update(body).digest('base64'),
  };
  return Object.entries(right).flatMap(([name, digest]) => (headers[name] === digest ? [name] : []));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('an S3 server', () => {
  beforeEach(() => {
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'testtest' });
  });

  test.for<Manners['etags']>(['quoted', 'bare', 'either'])(
    'that accepts ETags %s in If-Match gets that format',
    async (etags) => {
      const { store } = await serve({ heeds: ['if-none-match', 'if-match'], etags });
      expect(await store.create('pointer', Buffer.from('1'))).toBe(true);
      const { version } = (await store.get('pointer'))!;
      expect(await store.swap('pointer', Buffer.from('2'), version)).toBe(true);
      expect(await store.swap('pointer', Buffer.from('3'), version)).toBe(false);
      expect((await store.get('pointer'))!.bytes.toString()).toBe('2');
    },
  );

  test.for<[string, Manners]>([
    ['ignores If-Match on writes', { heeds: ['if-none-match'], etags: 'either' }],
    ['ignores If-None-Match on writes', { heeds: ['if-match'], etags: 'either' }],
    ['ignores If-None-Match on writes', { heeds: [], etags: 'either' }],
    ['answers 501', { heeds: ['if-none-match'], etags: 'either', refusesWith: 501 }],
  ])('that %s is refused before anything is written', async ([reason, manners]) => {
    const { store, objects } = await serve(manners);
    await expect(store.swap('pointer', Buffer.from('1'), null)).rejects.toThrow(reason);
    await expect(store.create('document', Buffer.from('1'))).rejects.toThrow(reason);
    expect([...objects.keys()]).toEqual(['/bucket/.conditional-writes']);
  });

  test('that refuses every If-Match is refused', async () => {
    const { store } = await serve({ heeds: ['if-none-match', 'if-match'], etags: 'neither' });
    await expect(store.create('document', Buffer.from('1'))).rejects.toThrow('refuses every If-Match');
  });

  test('whose bucket has Object Lock gets one of the required digests with every write', async () => {
    const { store, objects } = await serve({ heeds: ['if-none-match', 'if-match'], etags: 'quoted' });
    const file = join(await temporaryFolder(), 'runs.parquet');
    await writeFile(file, Buffer.alloc(8 * 1024 * 1024 + 1, 'runs'));
    expect(await store.create('document', Buffer.from('{}'))).toBe(true);
    expect(await store.swap('pointer', Buffer.from('1'), null)).toBe(true);
    expect(await store.swap('pointer', Buffer.from('2'), (await store.get('pointer'))!.version)).toBe(true);
    expect(await store.createFromFile('runs', file)).toBe(true);
    const digests = [...objects].map(([key, stored]) => [key, stored.digests]);
    expect(Object.fromEntries(digests)).toEqual({
      '/bucket/.conditional-writes': ['x-amz-checksum-sha256'],
      '/bucket/document': ['x-amz-checksum-sha256'],
      '/bucket/pointer': ['x-amz-checksum-sha256'],
      '/bucket/runs': ['content-md5'],
    });
  });
});
