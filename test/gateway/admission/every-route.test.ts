/** @module-tag black-box */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acme } from '../../adapters/publish.ts';
import {
  everyPathOf,
  globex,
  newKey,
  openRecords,
  otherWorkspaceId,
  setPlan,
  startTestGateway,
  workspaceId,
} from '../../adapters/read-over-http.ts';
import type { TestGateway } from '../../adapters/read-over-http.ts';
import { inject } from '../ask.ts';
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

let gateway: TestGateway;
let snapshotId: string;
let key: string;
beforeAll(async () => {
  gateway = await startTestGateway(async (folder) => openRecords(folder));
  await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  const listed = await inject(gateway.app, '/api/v1/snapshots', await gateway.createKey());
  snapshotId = (JSON.parse(listed.text) as { data: { id: string }[] }).data[0]!.id;
});
afterAll(() => gateway.close());
beforeEach(async () => {
  await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  key = await gateway.createKey();
});

const ask = async (path: string, sent?: string, method?: 'GET' | 'POST' | 'HEAD') =>
  await inject(gateway.app, path.replace('{snapshotId}', snapshotId), sent, method);

describe.each([...routes, ...nowhere])('%s', (path) => {
  const isKnown = routes.includes(path);

  test('is answered with a key, and refused without one, with a key in its URL, and with one that is unknown', async () => {
    expect((await ask(path, key)).status).toBe(isKnown ? 200 : 404);
    expectError(await ask(path), 'missing_key');
    expectError(await ask(`${path}?api_key=${key}&x-api-key=${key}`), 'missing_key');
    expectError(await ask(path, newKey()), 'invalid_key');
  });

  test.each<[ErrorCode, () => Promise<unknown>]>([
    ['invalid_key', async () => await gateway.records.revokeKey(key.slice(0, 12))],
    ['plan_required', async () => await setPlan(gateway.records, workspaceId, 'starter', 1_000_000)],
    ['rate_limited', async () => await setPlan(gateway.records, workspaceId, 'agency', 0)],
  ])('is %s from the next request after the change', async (code, change) => {
    expect((await ask(path, key)).status).toBe(isKnown ? 200 : 404);
    await change();
    expectError(await ask(path, key), code);
  });

  test.each(['POST', 'HEAD'] as const)(
    'is refused to %s like to GET, and 404 to the admitted',
    async (method) => {
      expectError(await ask(path, undefined, method), 'missing_key', method);
      expectError(await ask(path, key, method), 'not_found', method);
    },
  );
});

describe.each(ofBrand)('%s', (path) => {
  test("answers the same for a malformed, an unknown and another workspace's brand", async () => {
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
    ];
    const answers = await Promise.all(
      [...ids, globex.id].map(async (other) => await ask(path.replace(id, other), key)),
    );
    for (const answer of answers) {
      expectError(answer, 'not_found');
      expect(Object.keys(answer.headers)).toEqual(Object.keys(answers[0]!.headers));
    }
  });

  test("does not exist for the other workspace's key", async () => {
    expectError(await ask(path, await gateway.createKey(otherWorkspaceId)), 'not_found');
  });
});

test('records that cannot be asked are 500 internal on every path', async () => {
  const closed = await startTestGateway(async (folder) => openRecords(folder));
  const known = await closed.createKey();
  await closed.records.close();
  for (const path of [...routes, ...nowhere]) {
    for (const sent of [known, newKey()])
      expectError(await inject(closed.app, path.replace('{snapshotId}', snapshotId), sent), 'internal');
    expectError(await inject(closed.app, path.replace('{snapshotId}', snapshotId)), 'missing_key');
  }
  await closed.close().catch(() => undefined); // SQLite does not close twice
});
