import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operations } from '../../../lib/documents/routes.ts';
import type { Status } from '../../../lib/openapi/headers.ts';
import { statusesOf } from '../../../lib/openapi/responses.ts';
import { ask, bearer } from '../ask.ts';
import type { Answer } from '../ask.ts';
import { brandId, startDescribedGateway } from '../described-gateway.ts';
import type { DescribedGateway } from '../described-gateway.ts';
import { globex, otherWorkspaceId, setPlan, workspaceId } from '../gateway.ts';
import { publishBrands } from '../snapshots.ts';
import { EXAMPLE_TABLE } from '../../docs/examples.ts';
import { complaintsAbout } from '../../openapi/complaints.ts';
import { describedApi } from '../../openapi/description.ts';

let gateway: DescribedGateway;
let base: string;
let key: string;
let keyOfAnother: string;
const pathOf = (path: string) =>
  path
    .replace('{snapshotId}', gateway.snapshotId)
    .replace('{brandId}', brandId)
    .replace('{table}', EXAMPLE_TABLE);

/** A request for each status. */
const asking: Record<Status, (path: string) => Promise<Answer>> = {
  200: (path) => ask(base, pathOf(path), { headers: bearer(key) }),
  304: async (path) => {
    const { etag } = (await ask(base, pathOf(path), { headers: bearer(key) })).headers;
    return await ask(base, pathOf(path), { headers: [...bearer(key), 'If-None-Match', etag!] });
  },
  401: (path) => ask(base, pathOf(path)),
  402: async (path) => {
    await setPlan(gateway.records, workspaceId, 'starter', null);
    return await ask(base, pathOf(path), { headers: bearer(key) });
  },
  404: (path) => ask(base, pathOf(path), { headers: bearer(keyOfAnother) }),
  429: async (path) => {
    await setPlan(gateway.records, workspaceId, 'agency', 1);
    const asked = async () => await ask(base, pathOf(path), { headers: bearer(key) });
    await asked();
    const second = await asked();
    return second.status === 429 ? second : await asked(); // a minute has ended between the two
  },
  500: async (path) => {
    const admit = gateway.records.admit.bind(gateway.records);
    gateway.records.admit = () => {
      throw new Error('no database');
    };
    const answer = await ask(base, pathOf(path), { headers: bearer(key) });
    gateway.records.admit = admit;
    return answer;
  },
};

describe('the OpenAPI file describes what the gateway responds, checked by Ajv', () => {
  const complaints = complaintsAbout(describedApi());
  beforeAll(async () => {
    gateway = await startDescribedGateway();
    ({ base, key } = gateway);
    // The snapshot of another workspace, of a version without week and tables.
    await publishBrands(gateway.log, otherWorkspaceId, [globex], '2026-11-17T06:00:00.000Z');
    await gateway.documents.refresh();
    keyOfAnother = await gateway.createKey(otherWorkspaceId);
  });
  afterAll(async () => await gateway?.close());
  beforeEach(async () => {
    await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  });

  const cases = operations.flatMap(({ operationId, path }) =>
    statusesOf(path).map((status) => [operationId, status, path] as const),
  );

  test.each(cases)('%s %i', async (_id, status, path) => {
    const answer = await asking[status](path);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('no database');
    expect(complaints(path, answer)).toEqual([]);
  });

  test('is complained of where it differs', async () => {
    const answer = await asking[200]('/api/v1/week');
    const { etag: _, ...headers } = { ...answer.headers, 'x-ratelimit-limit': 'many' };
    const differing = [
      { ...answer, status: 418 },
      { ...answer, headers },
      { ...answer, headers: { ...answer.headers, 'content-type': 'text/html' } },
      { ...answer, text: '{"data":{"asOf":7}}' },
      { ...(await asking[304]('/api/v1/week')), text: 'x' },
    ];
    expect(differing.map((each) => complaints('/api/v1/week', each).join('; '))).toMatchInlineSnapshot(`
      [
        "status 418",
        "ETag: missing; X-RateLimit-Limit: data must be integer, data must be >= 1",
        "type text/html",
        "application/json: data/data must have required property 'brands', data/data/asOf must be string,null",
        "a body",
      ]
    `);
  });
});
