/** @module-tag black-box */
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { acme } from '../../adapters/publish.ts';
import { apiTables, countOf, everyPathOf, globex, newKey } from '../../adapters/read-over-http.ts';
import { otherWorkspaceId, pathsOf, setPlan } from '../../adapters/read-over-http.ts';
import { startListeningGateway, workspaceId } from '../../adapters/read-over-http.ts';
import type { ListeningGateway } from '../../adapters/read-over-http.ts';
import { ask, bearer } from '../ask.ts';
import type { Answer, Question } from '../ask.ts';
import { manualClock } from '../clock.ts';

const START = '2026-11-16T06:00:10.250Z';
const MANY = 1_000_000;
const clock = manualClock(START);
const visibility = `/api/v1/brands/${acme.id}/visibility`;
/** Unknown paths: they are refused like known ones, so that they reveal nothing without a valid key. */
const nowhere = [
  '/',
  '/api',
  '/api/v2/brands',
  '/%zz',
  '/api/v1/brands/%C3%28/prompts',
  `/${'x'.repeat(300)}`,
];

let gateway: ListeningGateway;
let base: string;
let routes: string[];
/** Counts the requests of its workspace, without a request. */
let counting: string;
beforeAll(async () => {
  gateway = await startListeningGateway(clock);
  ({ base } = gateway);
  const [snapshotId] = await gateway.log.store.folders(`workspaces/${workspaceId}/snapshots/`);
  routes = everyPathOf(acme.id, snapshotId!);
  counting = await gateway.createKey();
});
afterAll(() => gateway.close());
beforeEach(async () => {
  clock.set(START);
  await setPlan(gateway.records, workspaceId, 'agency', MANY);
});

/** A request of a new key: by default a GET with it as a Bearer token. */
interface Row extends Omit<Question, 'headers'> {
  label?: string;
  path?: string;
  headers?: (key: string) => string[];
  /** Happens to the key before. */
  before?: (key: string) => Promise<unknown>;
}

const isUsed = async (key: string) =>
  (await gateway.records.listKeys(workspaceId)).some(
    ({ prefix, lastUsedAt }) => key.startsWith(prefix) && lastUsedAt !== null,
  );

/** Of all requests: each is unique, and never the one that the client sent. */
const requestIds = new Set<unknown>(['mine']);

/** A response without what differs each time, and with what the records know of it. */
function format({ status, headers, text }: Answer): string {
  const { date: _, 'x-request-id': id, 'x-ratelimit-remaining': left, ...others } = headers;
  expect(id).toMatch(/^[\w-]{36}$/);
  expect(requestIds).not.toContain(id);
  requestIds.add(id);
  if (left !== undefined) others['x-ratelimit-remaining'] = 'X';
  const coding = headers['content-encoding'];
  if (coding !== undefined) others['content-length'] = 'X'; // another zlib may compress in another way
  const isProof = text.includes('"checkpoint"'); // signed with a key that each run makes
  if (isProof) others.etag = 'X';
  const lines = Object.entries(others).map(([name, value]) => `${name}: ${String(value)}`);
  const body = isProof ? '(a proof)' : text.trim().replace(/^(\{"data".{50}).{130,}(.{20})$/su, '$1…$2');
  return [status, ...lines, '', coding === undefined ? body : `(${coding})`].join('\n');
}

/** Compares responses with a golden file, which has each of them once, below all requests that get it. */
async function expectResponses(golden: string, groups: Record<string, readonly Row[]>): Promise<void> {
  const page: string[] = [];
  for (const [title, requests] of Object.entries(groups)) {
    const byResponse = new Map<string, string[]>();
    for (const { label, path = visibility, headers = bearer, before, ...question } of requests) {
      const key = await gateway.createKey();
      await before?.(key);
      const { used } = await countOf(gateway.records, counting);
      const answer = await ask(base, path, { headers: headers(key), ...question });
      const counted = (await countOf(gateway.records, counting)).used - used;
      const known = `(${counted} counted, key ${(await isUsed(key)) ? '' : 'not '}used)`;
      const response = `${format(answer)}\n${known}\n`;
      const name = label ?? `${question.method ?? 'GET'} ${path}`;
      byResponse.set(response, [...(byResponse.get(response) ?? []), `> ${name}\n`]);
    }
    page.push(`# ${title}\n`, ...[...byResponse].map(([response, names]) => `${names.join('')}${response}`));
  }
  await expect(page.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, `golden/${golden}.txt`));
}

const rows = (given: Record<string, (key: string) => string[]>): Row[] =>
  Object.entries(given).map(([label, headers]) => ({ label, headers }));
const withHeaders = (...given: string[][]): Row[] =>
  given.map((more) => ({
    label: more.map((each) => each.replaceAll(/(?:x,){9,}/g, 'x,… ')).join(' '),
    headers: (key) => [...bearer(key), ...more],
  }));
const setOwnPlan = (plan: string, limit: number | null) => async () =>
  await setPlan(gateway.records, workspaceId, plan, limit);
const revoke = async (key: string) => await gateway.records.revokeKey(key.slice(0, 12));

test('every path, known or not, is answered with a valid key in a header only, and refused alike: golden/paths.txt', async () => {
  const paths = [...routes, ...nowhere];
  const all = (row: Row) => paths.map((path) => ({ path, ...row }));
  const query = `?api_key=${counting}&x-api-key=${counting}`;
  const inQuery = paths.map((path) => ({ path: path + query, label: path, headers: () => [] }));
  await expectResponses('paths', {
    'with a key': [
      ...all({}),
      ...all({ label: 'the same with x-api-key', headers: (key) => ['x-api-key', key] }),
    ],
    'with a key, another method': all({ method: 'POST' }),
    'with a key, HEAD': all({ method: 'HEAD' }),
    'with a key in the query only': inQuery,
    'without a key, HEAD': all({ method: 'HEAD', headers: () => [] }),
    'with an unknown key': all({ headers: () => bearer(newKey()) }),
    'after the plan has changed': all({ before: setOwnPlan('starter', MANY) }),
    'after it has changed again': [{ before: setOwnPlan('Scale', MANY) }],
    'when the allowance is used up': all({ before: setOwnPlan('agency', 0) }),
    'after the allowance was raised': [{ before: setOwnPlan('agency', MANY) }],
    'after the key was revoked': all({ before: revoke }),
  });
});

test('a key is read from two headers, and an ambiguous one is refused, which updates its last use: golden/credentials.txt', async () => {
  const wrong: Record<string, (key: string) => string> = {
    unknown: () => newKey(),
    'a prefix': () => 'vis_',
    'too short': (key) => key.slice(0, -1),
    'too long': (key) => `${key}0`,
    'another prefix': (key) => key.replace('vis_', 'VIS_'),
    'upper case': (key) => `vis_${key.slice(4).toUpperCase()}`,
    'without prefix': (key) => key.slice(4),
    'not hexadecimal': (key) => `${key.slice(0, -1)}g`,
  };
  await expectResponses('credentials', {
    missing: rows({
      none: () => [],
      'an empty x-api-key': () => ['x-api-key', ''],
      'an empty token': () => ['Authorization', 'Bearer   '],
      'another scheme': () => ['Authorization', 'Basic dXNlcjpwYXNz'],
      'a longer scheme': () => ['Authorization', 'Bearers vis_000'],
      'a cookie': (key) => ['Cookie', `key=${key}`],
    }),
    accepted: rows({
      'in any case': (key) => ['AUTHORIZATION', `BEARER   ${key}  `],
      'after a tab': (key) => ['Authorization', `Bearer\t${key}`],
      'in x-api-key': (key) => ['X-Api-Key', ` ${key} `],
      'in both headers': (key) => [...bearer(key), 'x-api-key', key],
      'next to another scheme': (key) => ['Authorization', 'Basic dXNlcjpwYXNz', 'x-api-key', key],
      'next to an empty header': (key) => [...bearer(key), 'x-api-key', ''],
    }),
    malformed: Object.entries(wrong).flatMap(([label, of]) => [
      { label: `${label}, as a token`, headers: (key: string) => bearer(of(key)) },
      { label: `${label}, in x-api-key`, headers: (key: string) => ['x-api-key', of(key)] },
    ]),
    ambiguous: rows({
      'twice in a header': (key) => bearer(`${key} `.repeat(2)),
      'with a scheme in x-api-key': (key) => ['x-api-key', `Bearer ${key}`],
      'in a list': (key) => ['Authorization', `Bearer ${key}, Bearer ${key}`],
      'next to an unknown one': (key) => [...bearer(newKey()), 'x-api-key', key],
      'next to another one': (key) => [...bearer(counting), 'x-api-key', key],
      'in a header that is sent twice': (key) => [...bearer(key), ...bearer(key)],
      'next to another scheme': (key) => [...bearer(key), 'authorization', 'Basic dXNlcjpwYXNz'],
      'in two x-api-key': (key) => ['x-api-key', key, 'X-API-Key', ''],
      'the fourth of many': (key) => ['x-api-key', [newKey(), newKey(), newKey(), key].join(' ')],
      'the fifth of many': (key) => ['x-api-key', [newKey(), newKey(), newKey(), newKey(), key].join(' ')],
    }),
  });
});

test('methods, brands, conditions and codings of a request decide its response as in golden/requests.txt', async () => {
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];
  const unknown = '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c00';
  const ids = ['nonsense', '%20', `${acme.id}0`, acme.id.replaceAll('-', ''), '..', unknown, globex.id];
  const ofBrand = routes.filter((route) => route.includes(acme.id));
  const theirs = bearer(await gateway.createKey(otherWorkspaceId));
  const { etag } = (await ask(base, visibility, { headers: bearer(counting) })).headers;
  const gzipTag = etag!.replace(/"$/, '-gzip"');
  const body = '{"a":"b"x';
  const length = ['Content-Type', 'nonsense', 'Content-Length', String(body.length)];
  const origin = ['Origin', 'https://elsewhere.example'];
  const preflight = [...origin, 'Access-Control-Request-Method', 'GET'];
  await expectResponses('requests', {
    'other methods': methods.map((method) => ({ method })),
    'a browser on another site': [
      { label: 'preflight', method: 'OPTIONS', headers: () => preflight },
      { headers: (key) => [...bearer(key), ...origin] },
    ],
    'a body that is no JSON': [{ body, headers: (key) => [...bearer(key), ...length] }],
    'brands that this key does not have': ofBrand.flatMap((route) =>
      ids.map((id) => ({ path: route.replace(acme.id, id) })),
    ),
    'the key of another workspace': ofBrand.map((path) => ({ path, headers: () => theirs })),
    'other forms of the path': [
      visibility.replace(acme.id, acme.id.toUpperCase()),
      visibility.replaceAll('-', '%2D'),
      `http://elsewhere.example${visibility}`,
      `${visibility}?limit=1&page=2#x`,
      `${visibility}?%zz&%`,
      `${visibility}/`,
      visibility.replace('/visibility', ''),
      visibility.replace('/visibility', '/..%2Fbrands'),
      visibility.replace(acme.id, '..%2f..%2fmanifest.json%00'),
      '*',
    ].map((path) => ({ path })),
    'what a client has': withHeaders(
      ...[etag!, `W/${etag}`, `"other", ${etag}`, '*', '"other"', gzipTag, '"*"', ''].map((tag) => [
        'If-None-Match',
        tag,
      ]),
      ...[gzipTag, etag!].map((tag) => ['If-None-Match', tag, 'Accept-Encoding', 'gzip']),
      ['If-Match', '"x"', 'If-Modified-Since', 'Sat, 21 Nov 2099 00:00:00 GMT', 'Range', 'bytes=0-3'],
      ['X-Request-Id', 'mine', 'Request-Id', 'mine'],
    ),
    'content codings': withHeaders(
      ...['', 'gzip, identity', 'x-gzip;q=0.5', 'gzip;q=0, *', '*;q=0, gzip', '*', 'identity, gzip;q=0.5']
        .concat('identity;q=0, *', 'gzipped', `${'x,'.repeat(98)}gzip`, `${'x,'.repeat(99)}gzip`)
        .map((coding) => ['Accept-Encoding', coding]),
    ),
    'the root, asked by a browser': [
      { path: '/', headers: () => ['Accept', 'text/html,*/*;q=0.8'] },
      { path: '/', label: 'with a key', headers: (key) => [...bearer(key), 'Accept', 'text/html'] },
      { path: '/', label: 'with a wrong key', headers: () => [...bearer('vis_no'), 'Accept', 'text/html'] },
      { path: '/', label: 'not by a browser', headers: () => ['Accept', '*/*'] },
    ],
  });
});

test.each(pathsOf(acme.id))('$path has the published bytes, also compressed', async ({ path, document }) => {
  const [prefix] = await gateway.log.store.folders(`workspaces/${workspaceId}/snapshots/`);
  const key = `workspaces/${workspaceId}/snapshots/${prefix}/${document}`;
  const { bytes } = (await gateway.log.store.get(key))!;
  const get = async (...headers: string[]) =>
    (await ask(base, path, { headers: [...bearer(counting), ...headers] })).body;
  expect(await get()).toEqual(bytes);
  expect(gunzipSync(await get('Accept-Encoding', 'br, gzip'))).toEqual(bytes);
});

test('a workspace without a snapshot has lists, a week and every table, all empty, and no brand: golden/empty.txt', async () => {
  const empty = '33333333-3333-4333-8333-333333333333';
  await setPlan(gateway.records, empty, 'agency', null);
  const theirs = bearer(await gateway.createKey(empty));
  const documents = ['brands', 'snapshots', 'week', ...apiTables.map((table) => `tables/${table}`)];
  const paths = [...documents.map((path) => `/api/v1/${path}`), visibility, '/api/v1/tables/timeline'];
  await expectResponses('empty', {
    'no snapshot': paths.map((path) => ({ path, headers: () => theirs })),
    'a snapshot': paths.map((path) => ({ path })),
  });
});

/** What happens at a time: a new limit of the agency plan, a plan without the API, or a request with this header or path. */
const events: [time: string, ...(number | null | string)[]][] = [
  ['08:00:59.001', 1, 'GET', 'GET'],
  ['08:00:59.999', 'GET'],
  ['08:01:00.000', 'GET', 'GET'],
  ['09:00:00.000', 100, 'GET', 'x-api-key: vis_', 'starter', 'GET'],
  ['09:00:59.999', 100, 'if-none-match: *', '/nowhere', 'GET'],
  ['10:00:00.000', 1, 'GET', 'GET', 4, 'GET', 'GET', 3, 'GET', null, 'GET'],
];

test('the allowance of a minute is reduced and refilled as in golden/allowance.txt', async () => {
  const key = await gateway.createKey();
  const lines: string[] = [];
  for (const [time, ...ofTime] of events) {
    clock.set(`2026-11-16T${time}Z`);
    lines.push(`\nat ${time}`);
    for (const event of ofTime) {
      lines.push(`  ${event}`);
      if (typeof event !== 'string') await setOwnPlan('agency', event)();
      else if (event === 'starter') await setOwnPlan(event, 100)();
      else {
        const header = event.includes(': ') ? event.split(': ') : [];
        const path = event.startsWith('/') ? event : visibility;
        const { status, headers } = await ask(base, path, { headers: [...bearer(key), ...header] });
        const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'];
        const given = names
          .filter((name) => name in headers)
          .map((name) => `${name} ${String(headers[name])}`);
        lines.push(`    ${[status, ...given].join(', ')}`);
      }
    }
  }
  const page = `${lines.join('\n').trimStart()}\n`;
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, 'golden/allowance.txt'));
});
