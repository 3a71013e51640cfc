/** @module-tag black-box */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acme } from '../../adapters/publish.ts';
import { pathsOf, setPlan, startListeningGateway, workspaceId } from '../../adapters/read-over-http.ts';
import type { ListeningGateway } from '../../adapters/read-over-http.ts';
import { ask, bearer } from '../ask.ts';
import type { Answer } from '../ask.ts';
import { manualClock } from '../clock.ts';

const clock = manualClock('2026-11-16T06:00:10.250Z');
const paths = pathsOf(acme.id).map(({ path }) => path);
const visibility = `/api/v1/brands/${acme.id}/visibility`;

let gateway: ListeningGateway;
let base: string;
let key: string;

beforeAll(async () => {
  gateway = await startListeningGateway(clock);
  ({ base, key } = gateway);
});
afterAll(() => gateway.close());

const get = (path: string, ...headers: string[]) =>
  ask(base, path, { headers: [...bearer(key), ...headers] });
const statuses = (answers: Answer[]) => answers.map(({ status }) => status);
const together = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => get(paths[n % paths.length]!)));

describe('the allowance', () => {
  test('is exact to one request, with many concurrent requests', async () => {
    clock.set('2026-11-16T07:00:00.000Z');
    await setPlan(gateway.records, workspaceId, 'agency', 25);
    const answers = await together(60);
    expect(statuses(answers).filter((status) => status === 200)).toHaveLength(25);
    expect(statuses(answers).filter((status) => status === 429)).toHaveLength(35);
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(remaining.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, n) => n));
  });

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
    await ask(base, visibility, { headers: ['x-api-key', 'vis_'] });
    const revoked = await gateway.createKey();
    await gateway.records.revokeKey(revoked.slice(0, 12));
    expect((await ask(base, visibility, { headers: bearer(revoked) })).status).toBe(401);
    await setPlan(gateway.records, workspaceId, 'starter', 100);
    expect((await get(visibility)).status).toBe(402);
    await setPlan(gateway.records, workspaceId, 'agency', 100);
    expect((await get(visibility, 'If-None-Match', etag!)).headers['x-ratelimit-remaining']).toBe('98');
    expect((await get('/nowhere')).status).toBe(404);
    expect((await get(visibility)).headers['x-ratelimit-remaining']).toBe('96');
  });

  test('follows a changed limit within the minute, up and down', async () => {
    clock.set('2026-11-16T10:00:00.000Z');
    await setPlan(gateway.records, workspaceId, 'agency', 2);
    expect(statuses([await get(visibility), await get(visibility), await get(visibility)])).toEqual([
      200, 200, 429,
    ]);
    await setPlan(gateway.records, workspaceId, 'agency', 5);
    const raised = await get(visibility);
    expect([raised.status, raised.headers['x-ratelimit-remaining']]).toEqual([200, '1']);
    await setPlan(gateway.records, workspaceId, 'agency', 3);
    expect((await get(visibility)).status).toBe(429);
  });
});
