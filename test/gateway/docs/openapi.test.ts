import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
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
import { describeWithOpenApiTools, startPrism } from '../../openapi/tools.ts';

let gateway: DescribedGateway;
let base: string;
let key: string;
let keyOfAnother: string;
/** Between client and gateway; it reports what the OpenAPI file does not describe. */
let proxy: Awaited<ReturnType<typeof startPrism>>;

interface Violation {
  location: string[];
  message: string;
}

function violationsOf({ headers }: Answer): Violation[] {
  const said = JSON.parse(String(headers['sl-violations'] ?? '[]')) as Violation[];
  return said.filter(({ location }) => location[0] === 'response');
}

const pathOf = (path: string) =>
  path
    .replace('{snapshotId}', gateway.snapshotId)
    .replace('{brandId}', brandId)
    .replace('{table}', EXAMPLE_TABLE);

/** A request for each status. */
const asking: Record<Status, (url: string, path: string) => Promise<Answer>> = {
  200: (url, path) => ask(url, pathOf(path), { headers: bearer(key) }),
  304: async (url, path) => {
    const { etag } = (await ask(url, pathOf(path), { headers: bearer(key) })).headers;
    return await ask(url, pathOf(path), { headers: [...bearer(key), 'If-None-Match', etag!] });
  },
  401: (url, path) => ask(url, pathOf(path)),
  402: async (url, path) => {
    await setPlan(gateway.records, workspaceId, 'starter', null);
    return await ask(url, pathOf(path), { headers: bearer(key) });
  },
  404: (url, path) => ask(url, pathOf(path), { headers: bearer(keyOfAnother) }),
  429: async (url, path) => {
    await setPlan(gateway.records, workspaceId, 'agency', 1);
    const asked = async () => await ask(url, pathOf(path), { headers: bearer(key) });
    await asked();
    const second = await asked();
    return second.status === 429 ? second : await asked(); // a minute has ended between the two
  },
  500: async (url, path) => {
    const admit = gateway.records.admit.bind(gateway.records);
    gateway.records.admit = () => {
      throw new Error('no database');
    };
    const answer = await ask(url, pathOf(path), { headers: bearer(key) });
    gateway.records.admit = admit;
    return answer;
  },
};

describeWithOpenApiTools('the OpenAPI file and the gateway agree, checked by Prism', () => {
  beforeAll(async () => {
    gateway = await startDescribedGateway();
    ({ base, key } = gateway);
    // The snapshot of another workspace, of a version without week and tables.
    await publishBrands(gateway.log, otherWorkspaceId, [globex], '2026-11-17T06:00:00.000Z');
    await gateway.documents.refresh();
    keyOfAnother = await gateway.createKey(otherWorkspaceId);
    proxy = await startPrism('proxy', `${base}/openapi.json`, base, '--validate-request', 'false');
  });
  afterAll(async () => {
    proxy?.child.kill();
    await gateway?.close();
  });
  beforeEach(async () => {
    await setPlan(gateway.records, workspaceId, 'agency', 1_000_000);
  });

  const cases = operations.flatMap(({ operationId, path }) =>
    statusesOf(path).map((status) => [operationId, status, path] as const),
  );

  test.each(cases)('%s %i', async (_id, status, path) => {
    const answer = await asking[status](proxy.url, path);
    expect(answer.status).toBe(status);
    expect(violationsOf(answer)).toEqual([]);
  });
});
