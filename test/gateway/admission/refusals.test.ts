/** @module-tag black-box */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { acme } from '../../adapters/publish.ts';
import {
  countOf,
  everyPathOf,
  globex,
  newKey,
  otherWorkspaceId,
  setPlan,
  startListeningGateway,
  workspaceId,
} from '../../adapters/read-over-http.ts';
import type { ListeningGateway } from '../../adapters/read-over-http.ts';
import { ask, bearer } from '../ask.ts';
import type { Answer } from '../ask.ts';

/** The errors of the API, as docs/api.md promises them. */
const errorTable = {
  missing_key: {
    status: 401,
    message:
      'No API key was sent. Send it as "Authorization: Bearer <API_KEY>" or as "x-api-key: <API_KEY>".',
  },
  invalid_key: { status: 401, message: 'The API key is malformed, unknown or revoked.' },
  plan_required: { status: 402, message: 'The plan of this workspace does not include API access.' },
  not_found: { status: 404, message: 'There is nothing here for this key.' },
  rate_limited: {
    status: 429,
    message: 'The workspace has used up its requests for this minute. Wait for the seconds in Retry-After.',
  },
} as const;

type ErrorCode = keyof typeof errorTable;

/** Asserts that a response has exactly the API's error body and the headers of this error. */
function expectError(answer: Answer, code: ErrorCode, method = 'GET'): Answer {
  const { status, message } = errorTable[code];
  expect({ status: answer.status, text: answer.text }).toEqual({
    status,
    text: method === 'HEAD' ? '' : JSON.stringify({ error: { code, message } }),
  });
  const { headers } = answer;
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['x-request-id']).toMatch(/^[\w-]+$/);
  expect(headers['x-ratelimit-limit'] !== undefined).toBe(status === 429);
  expect(headers['retry-after'] !== undefined).toBe(status === 429);
  expect(headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
  expect(headers.etag).toBeUndefined();
  expect(Object.keys(headers).filter((header) => header.startsWith('access-control'))).toEqual([]);
  return answer;
}

const path = `/api/v1/brands/${acme.id}/visibility`;
const routes = everyPathOf(acme.id, '{snapshotId}');
const ofBrand = routes.filter((route) => route.includes(acme.id));
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
let snapshotId: string;
let key: string;
beforeAll(async () => {
  gateway = await startListeningGateway();
  const listed = await get('/api/v1/snapshots', gateway.key);
  snapshotId = (JSON.parse(listed.text) as { data: { id: string }[] }).data[0]!.id;
});
afterAll(() => gateway.close());
beforeEach(async () => {
  await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  key = await gateway.createKey();
});

const get = async (url: string, sent?: string, method = 'GET'): Promise<Answer> =>
  await ask(gateway.base, url.replace('{snapshotId}', snapshotId), {
    method,
    headers: sent === undefined ? [] : bearer(sent),
  });
const getWith = async (headers: string[]) => await ask(gateway.base, path, { headers });

const lastUse = async (usedKey: string) =>
  (await gateway.records.listKeys(workspaceId)).find(({ prefix }) => usedKey.startsWith(prefix))!.lastUsedAt;

/** The number of requests counted while `work` runs, within one minute. */
async function countedBy(work: () => Promise<unknown>): Promise<number> {
  for (;;) {
    const before = await countOf(gateway.records, key);
    await work();
    const after = await countOf(gateway.records, key);
    if (before.minuteEnds === after.minuteEnds) return after.used - before.used;
  }
}

test.each([...routes, ...nowhere])('%s is answered with a valid key in a header only', async (route) => {
  expect((await get(route, key)).status).toBe(routes.includes(route) ? 200 : 404);
  expectError(await get(`${route}?api_key=${key}&x-api-key=${key}`), 'missing_key');
  expectError(await get(route, newKey()), 'invalid_key');
  for (const method of ['POST', 'HEAD']) {
    expectError(await get(route, undefined, method), 'missing_key', method);
    expectError(await get(route, key, method), 'not_found', method);
  }
});

test.each<[ErrorCode, () => Promise<unknown>]>([
  ['plan_required', async () => await setPlan(gateway.records, workspaceId, 'starter', 1_000_000)],
  ['rate_limited', async () => await setPlan(gateway.records, workspaceId, 'agency', 0)],
  ['invalid_key', async () => await gateway.records.revokeKey(key.slice(0, 12))],
])(
  'every path is %s from the next request after the change, which updates the last-used time',
  async (code, change) => {
    await change();
    expect(await lastUse(key)).toBeNull();
    for (const route of [...routes, ...nowhere]) expectError(await get(route, key), code);
    expect(await lastUse(key)).not.toBeNull();
    await setPlan(gateway.records, workspaceId, 'Scale', 1_000_000);
    expect((await get(path, key)).status).toBe(code === 'invalid_key' ? 401 : 200);
  },
);

test.each([
  [[]],
  [['x-api-key', '']],
  [['Authorization', 'Bearer   ']],
  [['Authorization', 'Basic dXNlcjpwYXNz']],
  [['Authorization', 'Bearers vis_000']],
  [['Cookie', `key=vis_${'0'.repeat(48)}`]],
])('%j is 401 missing_key', async (headers) => {
  expectError(await getWith(headers), 'missing_key');
});

test.each<[string, (known: string) => string[]]>([
  ['in any case', (known) => ['AUTHORIZATION', `BEARER   ${known}  `]],
  ['after a tab', (known) => ['Authorization', `Bearer\t${known}`]],
  ['in x-api-key', (known) => ['X-Api-Key', ` ${known} `]],
  ['in both headers', (known) => [...bearer(known), 'x-api-key', known]],
  ['next to another scheme', (known) => ['Authorization', 'Basic dXNlcjpwYXNz', 'x-api-key', known]],
  ['next to an empty header', (known) => [...bearer(known), 'x-api-key', '']],
])('a key %s is accepted', async (_what, headersOf) => {
  expect((await getWith(headersOf(key))).status).toBe(200);
});

test('malformed and unknown keys are 401 invalid_key', async () => {
  for (const wrong of [
    newKey(),
    'vis_',
    key.slice(0, -1),
    `${key}0`,
    key.replace('vis_', 'VIS_'),
    `vis_${key.slice(4).toUpperCase()}`,
    key.slice(4),
    `${key.slice(0, -1)}g`,
  ])
    for (const headers of [bearer(wrong), ['x-api-key', wrong]])
      expectError(await getWith(headers), 'invalid_key');
  expect(await lastUse(key)).toBeNull();
});

test.each<[string, (known: string) => string[]]>([
  ['twice in a header', (known) => bearer(`${known} `.repeat(2))],
  ['with a scheme in x-api-key', (known) => ['x-api-key', `Bearer ${known}`]],
  ['in a list', (known) => ['Authorization', `Bearer ${known}, Bearer ${known}`]],
  ['next to an unknown one', (known) => [...bearer(newKey()), 'x-api-key', known]],
  ['next to another one', (known) => [...bearer(key), 'x-api-key', known]],
  ['in a header that is sent twice', (known) => [...bearer(known), ...bearer(known)]],
  ['next to another scheme', (known) => [...bearer(known), 'authorization', 'Basic dXNlcjpwYXNz']],
  ['in two x-api-key', (known) => ['x-api-key', known, 'X-API-Key', '']],
])(
  'a key %s is ambiguous: 401 invalid_key, which updates its last-used time and counts nothing',
  async (_what, headersOf) => {
    const known = await gateway.createKey();
    const refuse = async () => expectError(await getWith(headersOf(known)), 'invalid_key');
    expect(await countedBy(refuse)).toBe(0);
    expect(await lastUse(known)).not.toBeNull();
  },
);

test('of the keys of an ambiguous credential at most four are looked up', async () => {
  const many = await Promise.all(Array.from({ length: 9 }, async () => await gateway.createKey()));
  expectError(await getWith(['x-api-key', many.join(' ')]), 'invalid_key');
  const uses = await Promise.all(many.map(lastUse));
  expect(uses.map((use) => use !== null)).toEqual(many.map((_, n) => n < 4));
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'])(
  '%s is refused like GET, is 404 not_found to the admitted, and counts',
  async (method) => {
    const body = method === 'POST' ? '{"not json' : '';
    const headers = body === '' ? [] : ['Content-Type', 'text/odd', 'Content-Length', String(body.length)];
    const asked = async (credential: string[]) =>
      await ask(gateway.base, path, { method, headers: [...headers, ...credential], body });
    expectError(await asked([]), 'missing_key', method);
    expect(await countedBy(async () => expectError(await asked(bearer(key)), 'not_found', method))).toBe(1);
  },
);

test.each(ofBrand)(
  "%s answers the same for a malformed, an unknown and another workspace's brand",
  async (route) => {
    const { id } = acme;
    const unknown = '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c00';
    const ids = ['nonsense', '%20', `${id}0`, id.replaceAll('-', ''), '..', unknown, globex.id];
    const answers = await Promise.all(ids.map(async (other) => await get(route.replace(id, other), key)));
    answers.push(await get(route, await gateway.createKey(otherWorkspaceId)));
    for (const answer of answers) {
      expectError(answer, 'not_found');
      expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]!.headers));
    }
  },
);
