/** @module-tag black-box */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { acme } from '../../adapters/publish.ts';
import {
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
import { expectError } from './error-answer.ts';
import type { ErrorCode } from './error-answer.ts';

const unknown = '0b5ef0a4-3a6e-4f0f-9c57-0c8f7a5a1c00';
const routes = everyPathOf(acme.id, '{snapshotId}');
const ofBrand = routes.filter((path) => path.includes(acme.id));
/** Unknown paths: they are refused like known ones, so that they reveal nothing without a valid key. */
const nowhere = [
  '/',
  '/api',
  '/api/v1/brands/',
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

const get = async (path: string, sent?: string, method = 'GET'): Promise<Answer> =>
  await ask(gateway.base, path.replace('{snapshotId}', snapshotId), {
    method,
    headers: sent === undefined ? [] : bearer(sent),
  });

test.each([...routes, ...nowhere])(
  '%s is answered with a valid key in a header only, and refuses other methods like GET',
  async (path) => {
    expect((await get(path, key)).status).toBe(routes.includes(path) ? 200 : 404);
    expectError(await get(`${path}?api_key=${key}&x-api-key=${key}`), 'missing_key');
    expectError(await get(path, newKey()), 'invalid_key');
    for (const method of ['GET', 'POST', 'HEAD'])
      expectError(await get(path, undefined, method), 'missing_key', method);
    for (const method of ['POST', 'HEAD']) expectError(await get(path, key, method), 'not_found', method);
  },
);

test.each<[ErrorCode, () => Promise<unknown>]>([
  ['plan_required', async () => await setPlan(gateway.records, workspaceId, 'starter', 1_000_000)],
  ['rate_limited', async () => await setPlan(gateway.records, workspaceId, 'agency', 0)],
  ['invalid_key', async () => await gateway.records.revokeKey(key.slice(0, 12))],
])('every path is %s from the next request after the change', async (code, change) => {
  await change();
  for (const path of [...routes, ...nowhere]) expectError(await get(path, key), code);
});

test.each(ofBrand)(
  "%s answers the same for a malformed, an unknown and another workspace's brand",
  async (path) => {
    const { id } = acme;
    const ids = [
      'nonsense',
      '1',
      'null',
      '%20',
      `${id}0`,
      id.slice(1),
      id.replaceAll('-', ''),
      '..',
      unknown,
      globex.id,
    ];
    const answers = await Promise.all(ids.map(async (other) => await get(path.replace(id, other), key)));
    answers.push(await get(path, await gateway.createKey(otherWorkspaceId)));
    for (const answer of answers) {
      expectError(answer, 'not_found');
      expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]!.headers));
    }
  },
);

test('records that cannot be asked are 500 internal on every path', async () => {
  const closed = await startListeningGateway();
  await closed.records.close();
  const asked = async (path: string, headers: string[]) =>
    await ask(closed.base, path.replace('{snapshotId}', snapshotId), { headers });
  for (const path of [...routes, ...nowhere]) {
    for (const sent of [closed.key, newKey()]) expectError(await asked(path, bearer(sent)), 'internal');
    expectError(await asked(path, []), 'missing_key');
  }
  await closed.close().catch(() => undefined); // SQLite does not close twice
});
