/** @module-tag black-box */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acme } from '../../adapters/publish.ts';
import {
  apiTables,
  pathsOf,
  setPlan,
  startListeningGateway,
  workspaceId,
} from '../../adapters/read-over-http.ts';
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
  snapshotId = (await gateway.log.store.folders(`workspaces/${workspaceId}/snapshots/`))[0]!;
  lastModified = new Date(gateway.log.clock.time).toUTCString();
});
afterAll(() => gateway.close());

const get = (path: string, ...headers: string[]) =>
  ask(base, path, { headers: [...bearer(key), ...headers] });
const publishedAt = async (path: string) =>
  (await gateway.log.store.get(`workspaces/${workspaceId}/snapshots/${snapshotId}/${path}`))!.bytes;

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

  test('compresses on request, and returns 304 to a client that has it in the requested coding', async () => {
    const [plain, gzip] = [await get(path), await get(path, 'Accept-Encoding', 'br, gzip')];
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body)).toEqual(plain.body);
    const tags = [plain, gzip].map(({ headers }) => headers.etag!);
    expect(new Set(tags).size).toBe(2);
    for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
    for (const condition of [tags[1], `W/${tags[1]}`, `"other", ${tags[1]}`, '*']) {
      const answer = await get(path, 'If-None-Match', condition!, 'Accept-Encoding', 'gzip');
      expect([answer.status, answer.text]).toEqual([304, '']);
      expect(answer.headers).toMatchObject({ etag: tags[1], ...commonHeaders() });
      for (const name of ['content-type', 'content-encoding', 'content-length'])
        expect(answer.headers[name]).toBeUndefined();
    }
    for (const condition of ['"other"', tags[0], tags[1]!.replaceAll('"', ''), '"*"', '']) {
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

test.each([
  ['', false],
  ['gzip, deflate, br, zstd', true],
  ['x-gzip', true],
  ['gzip;q=0, *', false],
  ['*;q=0, gzip', true],
  ['*', true],
  ['identity, gzip;q=0.5', false],
  ['identity;q=0, *', true],
  ['gzipped', false],
  [`${'x,'.repeat(90)}gzip`, true],
  [`${'x,'.repeat(100)}gzip`, false], // a header that is too long is ignored
])('a response is compressed for Accept-Encoding "%s": %s', async (header, isCompressed) => {
  const { headers } = await get(visibility, 'Accept-Encoding', header);
  expect(headers['content-encoding'] === 'gzip').toBe(isCompressed);
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
    visibility.replace('/visibility', ''),
    visibility.replace('/visibility', '/..%2Fbrands'),
    visibility.replace(acme.id, '..%2f..%2fmanifest.json%00'),
    '*',
  ])('%s is not there', async (path) => {
    const answer = await get(path);
    expect(answer.status).toBe(404);
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined();
  });
});

test('the list of snapshots names none, and is 304 for clients that have it', async () => {
  const { headers } = await get('/api/v1/snapshots');
  expect(headers).toMatchObject({ 'cache-control': 'private, no-cache' });
  expect(headers['x-snapshot-id']).toBeUndefined();
  expect((await get('/api/v1/snapshots', 'If-None-Match', headers.etag!)).status).toBe(304);
});

test('request ids are unique, and never the one that the client sent', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => get(visibility, 'X-Request-Id', 'mine', 'Request-Id', 'mine')),
  );
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(new Set(ids).size).toBe(20);
  expect(ids).not.toContain('mine');
});

test('a workspace without a snapshot has lists, a week and every table, all empty, and no brand', async () => {
  const empty = '33333333-3333-4333-8333-333333333333';
  await setPlan(gateway.records, empty, 'agency', null);
  const theirs = bearer(await gateway.createKey(empty));
  const dataOf = async (path: string, headers = theirs) => {
    const answer = await ask(base, `/api/v1/${path}`, { headers });
    expect([path, answer.status]).toEqual([path, 200]);
    expect(answer.headers['x-snapshot-id'] === undefined).toBe(headers === theirs);
    expect(answer.headers['last-modified'] === undefined).toBe(headers === theirs);
    return (JSON.parse(answer.text) as { data: object }).data;
  };
  expect(await dataOf('brands')).toEqual([]);
  expect(await dataOf('snapshots')).toEqual([]);
  expect(await dataOf('week')).toEqual({ asOf: null, brands: [] });
  for (const table of apiTables) {
    const full = await dataOf(`tables/${table}`, bearer(key));
    expect(await dataOf(`tables/${table}`)).toEqual({ ...full, rows: [] });
  }
  for (const path of [visibility, '/api/v1/tables/timeline'])
    expect((await ask(base, path, { headers: theirs })).status).toBe(404);
});

describe('the allowance', () => {
  test('is full again when the minute ends, at the time in Retry-After', async () => {
    clock.set('2026-11-16T08:00:59.001Z');
    await setPlan(gateway.records, workspaceId, 'agency', 1);
    expect((await get(visibility)).status).toBe(200);
    const refused = await get(visibility);
    expect(refused.status).toBe(429);
    expect(refused.headers).toMatchObject({
      'retry-after': '1',
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Date.parse('2026-11-16T08:01:00Z') / 1000),
    });
    clock.set('2026-11-16T08:00:59.999Z');
    expect((await get(visibility)).headers['retry-after']).toBe('1');
    clock.set('2026-11-16T08:01:00.000Z');
    expect((await get(visibility)).status).toBe(200);
    expect((await get(visibility)).headers['retry-after']).toBe('60');
  });

  test('is not reduced by 401 and 402, and is reduced by 200, 304, 404 and 429', async () => {
    clock.set('2026-11-16T09:00:00.000Z');
    await setPlan(gateway.records, workspaceId, 'agency', 100);
    const { etag } = (await get(visibility)).headers;
    await ask(base, visibility);
    expect((await ask(base, visibility, { headers: ['x-api-key', 'vis_'] })).status).toBe(401);
    await setPlan(gateway.records, workspaceId, 'starter', 100);
    expect((await get(visibility)).status).toBe(402);
    await setPlan(gateway.records, workspaceId, 'agency', 100);
    expect((await get(visibility, 'If-None-Match', etag!)).headers['x-ratelimit-remaining']).toBe('98');
    expect((await get('/nowhere')).status).toBe(404);
    expect((await get(visibility)).headers['x-ratelimit-remaining']).toBe('96');
  });

  test('follows a changed limit within the minute, up and down', async () => {
    clock.set('2026-11-16T10:00:00.000Z');
    await setPlan(gateway.records, workspaceId, 'agency', 1);
    for (const status of [200, 429]) expect((await get(visibility)).status).toBe(status);
    await setPlan(gateway.records, workspaceId, 'agency', 4);
    const raised = await get(visibility);
    expect([raised.status, raised.headers['x-ratelimit-remaining']]).toEqual([200, '1']);
    await setPlan(gateway.records, workspaceId, 'agency', 3);
    expect((await get(visibility)).status).toBe(429);
  });
});
