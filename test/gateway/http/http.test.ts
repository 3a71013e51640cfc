/** @module-tag black-box */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acme } from '../../adapters/publish.ts';
import { pathsOf, setPlan, startListeningGateway, workspaceId } from '../../adapters/read-over-http.ts';
import type { ListeningGateway } from '../../adapters/read-over-http.ts';
import { ask, bearer } from '../ask.ts';
import { manualClock } from '../clock.ts';

const START = '2026-11-16T06:00:10.250Z';
const MINUTE_ENDS = String(Date.parse('2026-11-16T06:01:00Z') / 1000);
const clock = manualClock(START);
const routes = pathsOf(acme.id);
const visibility = `/api/v1/brands/${acme.id}/visibility`;

let gateway: ListeningGateway;
let base: string;
let key: string;
let snapshotId: string;
/** As an HTTP date. */
let lastModified: string;

beforeAll(async () => {
  gateway = await startListeningGateway(clock);
  ({ base, key } = gateway);
  snapshotId = (await gateway.store.folders(`workspaces/${workspaceId}/snapshots/`))[0]!;
  lastModified = new Date(gateway.log.clock.time).toUTCString();
});
afterAll(() => gateway.close());

const get = (path: string, ...headers: string[]) =>
  ask(base, path, { headers: [...bearer(key), ...headers] });
const publishedAt = async (path: string) =>
  (await gateway.store.get(`workspaces/${workspaceId}/snapshots/${snapshotId}/${path}`))!.bytes;

/** Of a 200 and of a 304. */
const commonHeaders = () => ({
  'cache-control': 'private, no-cache',
  vary: 'Accept-Encoding, Authorization, x-api-key',
  'x-snapshot-id': snapshotId,
  'last-modified': lastModified,
  'x-ratelimit-limit': '1000000',
  'x-ratelimit-reset': MINUTE_ENDS,
});

describe.each(routes)('$path', ({ path, document }) => {
  const published = () => publishedAt(document);

  test('answers with the published bytes, the headers of the specification and none for CORS', async () => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(await published());
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(answer.body.length),
      ...commonHeaders(),
    });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers['retry-after']).toBeUndefined();
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('accepts x-api-key like Authorization', async () => {
    expect((await ask(base, path, { headers: ['x-api-key', key] })).body).toEqual(await published());
  });

  test('compresses on request, each coding with an entity tag of its own', async () => {
    const [plain, gzip] = [await get(path), await get(path, 'Accept-Encoding', 'br, gzip')];
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    const tags = [plain, gzip].map(({ headers }) => headers.etag!);
    expect(new Set(tags).size).toBe(2);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
  });

  test('returns 304 to a client that has it in the requested coding, with the allowance and without a body', async () => {
    const tags = await Promise.all(
      ['identity', 'gzip'].map(async (coding) => (await get(path, 'Accept-Encoding', coding)).headers.etag!),
    );
    for (const condition of [tags[1], `W/${tags[1]}`, `"other", ${tags[1]}`, '*']) {
      const answer = await get(path, 'If-None-Match', condition!, 'Accept-Encoding', 'gzip');
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers).toMatchObject({
        etag: tags[1],
        ...commonHeaders(),
      });
      for (const name of ['content-type', 'content-encoding', 'content-length']) {
        expect(answer.headers[name]).toBeUndefined();
      }
    }
    for (const condition of ['"other"', tags[0]]) {
      const answer = await get(path, 'If-None-Match', condition!, 'Accept-Encoding', 'gzip');
      expect([answer.status, answer.headers.etag]).toEqual([200, tags[1]]);
    }
  });

  test('ignores query, body, unknown conditions and Range', async () => {
    const conditions = ['If-Match', '"x"', 'If-Modified-Since', 'Sat, 21 Nov 2099 00:00:00 GMT'];
    const body = '{"a":"b"x';
    const length = ['Content-Type', 'nonsense', 'Content-Length', String(body.length)];
    for (const answer of [
      await get(`${path}?limit=1&page=2#x`),
      await get(`${path}?%zz&%`),
      await get(path, 'Range', 'bytes=0-3', ...conditions),
      await ask(base, path, { headers: [...bearer(key), ...length], body }),
    ])
      expect([answer.status, answer.body]).toEqual([200, await published()]);
  });
});

describe('paths', () => {
  test('find a brand by its id in any case and any percent-encoding', async () => {
    const expected = (await get(visibility)).body;
    expect((await get(visibility.replace(acme.id, acme.id.toUpperCase()))).body).toEqual(expected);
    expect((await get(visibility.replaceAll('-', '%2D'))).body).toEqual(expected);
    expect((await get(`http://elsewhere.example${visibility}`)).body).toEqual(expected);
  });

  test.each([
    `${visibility}/`,
    visibility.replace('/api', '//api'),
    visibility.replace('v1', 'V1'),
    visibility.replace('/visibility', ''),
    visibility.replace('/visibility', '/..%2Fbrands'),
    visibility.replace(acme.id, `urn:uuid:${acme.id}`),
    visibility.replace(acme.id, '..%2f..%2fmanifest.json%00'),
    visibility.replace(acme.id, '__proto__'),
    '*',
  ])('%s is not there', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
  });
});

test('request ids are unique, and never the one that the client sent', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => get(visibility, 'X-Request-Id', 'mine', 'Request-Id', 'mine')),
  );
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(new Set(ids).size).toBe(20);
  expect(ids).not.toContain('mine');
});

test('a workspace without a snapshot has no brands', async () => {
  const empty = '33333333-3333-4333-8333-333333333333';
  await setPlan(gateway.records, empty, 'agency', null);
  const theirs = bearer(await gateway.createKey(empty));
  const list = await ask(base, '/api/v1/brands', { headers: theirs });
  expect([list.status, JSON.parse(list.text)]).toEqual([200, { data: [] }]);
  expect(list.headers['x-snapshot-id']).toBeUndefined();
  expect(list.headers['last-modified']).toBeUndefined();
  expect((await ask(base, visibility, { headers: theirs })).status).toBe(404);
});
