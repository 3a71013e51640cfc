import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from './http-server.ts';

interface Stored {
  bytes: Buffer;
  etag: string;
  modified: Date;
  metadata: Record<string, string>;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** What other servers do with a write: changes its headers, or returns the status with which it is refused. */
export type Manner = (headers: IncomingHttpHeaders) => number | null;

/** As many as S3 returns. */
const KEYS_IN_A_PAGE = 1000;

/**
 * An S3 server in this process with one bucket in memory: what the store uses of the protocol, with conditional writes. It
 * passes the store's contract, as Ceph does (test/lib/store/s3/contract.test.ts). It checks no signatures.
 */
export async function startSmallS3(
  bucket: string,
  manner: Manner = () => null,
): Promise<{ endpoint: string; close: () => Promise<void> }> {
  const objects = new Map<string, Stored>();
  const { url, close } = await listen((request, response) => {
    const refused = request.method === 'PUT' ? manner(request.headers) : null;
    if (refused !== null) {
      request.resume();
      send(response, { status: refused });
      return;
    }
    answerTo(request, bucket, objects).then(
      (answer) => send(response, answer),
      () => response.destroy(), // the client left in the middle of its request
    );
  });
  return { endpoint: url, close };
}

async function answerTo(
  request: IncomingMessage,
  bucket: string,
  objects: Map<string, Stored>,
): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  const [, name, path = ''] = /^\/([^/]+)\/?(.*)$/.exec(pathname) ?? [];
  if (name !== bucket) return refusal(404, 'NoSuchBucket');
  const key = decodeURIComponent(path);
  const body = await buffer(request);
  if (request.method === 'PUT') return put(objects, key, request, body);
  if (request.method === 'DELETE') {
    objects.delete(key);
    return { status: 204 };
  }
  return key === '' ? list(objects, searchParams) : get(objects.get(key));
}

function put(objects: Map<string, Stored>, key: string, { headers }: IncomingMessage, bytes: Buffer): Answer {
  const there = objects.get(key);
  const { 'if-match': wanted, 'if-none-match': none, 'content-md5': md5 } = headers;
  const sha256 = headers['x-amz-checksum-sha256'];
  if (headers['content-length'] === undefined) return refusal(411, 'MissingContentLength');
  if (none === '*' && there !== undefined) return refusal(412, 'PreconditionFailed');
  if (wanted !== undefined && there === undefined) return refusal(404, 'NoSuchKey');
  if (wanted !== undefined && wanted !== there!.etag) return refusal(412, 'PreconditionFailed');
  const digests = [
    [md5, 'md5'],
    [sha256, 'sha256'],
  ] as const;
  if (digests.some(([given, name]) => given !== undefined && given !== digest(name, bytes, 'base64')))
    return refusal(400, 'BadDigest');
  const metadata = Object.entries(headers).filter(([name]) => name.startsWith('x-amz-meta-'));
  const etag = `"${digest('md5', bytes, 'hex')}"`;
  const modified = new Date();
  objects.set(key, {
    bytes,
    etag,
    modified,
    metadata: Object.fromEntries(metadata) as Record<string, string>,
  });
  return { status: 200, headers: { etag } };
}

function get(found: Stored | undefined): Answer {
  if (found === undefined) return refusal(404, 'NoSuchKey');
  const { bytes, etag, modified, metadata } = found;
  return {
    status: 200,
    headers: { etag, 'last-modified': modified.toUTCString(), ...metadata },
    body: bytes,
  };
}

/** ListObjectsV2: keys in the order of their UTF-8 bytes; the token is the last key or folder of the page before. */
function list(objects: Map<string, Stored>, query: URLSearchParams): Answer {
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter')];
  const most = Math.min(Number(query.get('max-keys') ?? KEYS_IN_A_PAGE), KEYS_IN_A_PAGE);
  const names = [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const end = delimiter === null ? -1 : key.indexOf(delimiter, prefix.length);
      return end === -1 ? key : key.slice(0, end + 1);
    });
  const after = query.get('continuation-token');
  const left = [...new Set(names)]
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .filter((name) => after === null || Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0);
  const page = left.slice(0, most);
  const next =
    left.length > page.length
      ? `<NextContinuationToken>${escaped(page.at(-1)!)}</NextContinuationToken>`
      : '';
  const entries = page.map((name) => entryOf(name, objects.get(name)));
  const isTruncated = `<IsTruncated>${next !== ''}</IsTruncated>`;
  return xml(200, `<ListBucketResult>${isTruncated}${next}${entries.join('')}</ListBucketResult>`);
}

function entryOf(name: string, object: Stored | undefined): string {
  if (object === undefined) return `<CommonPrefixes><Prefix>${escaped(name)}</Prefix></CommonPrefixes>`;
  const { bytes, modified } = object;
  const time = `<LastModified>${modified.toISOString()}</LastModified>`;
  return `<Contents><Key>${escaped(name)}</Key>${time}<Size>${bytes.length}</Size></Contents>`;
}

const digest = (name: string, bytes: Buffer, encoding: 'hex' | 'base64') =>
  createHash(name).update(bytes).digest(encoding);

const escaped = (text: string) => text.replaceAll(/[<>&"']/g, (char) => `&#${char.codePointAt(0)};`);

const refusal = (status: number, code: string) => xml(status, `<Error><Code>${code}</Code></Error>`);

function xml(status: number, text: string): Answer {
  return {
    status,
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="UTF-8"?>${text}`,
  };
}

function send(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
