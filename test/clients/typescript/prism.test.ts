import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import { errorTable } from '../../../lib/errors.ts';
import { operations } from '../../../lib/documents/routes.ts';
import { brandId } from '../../gateway/described-gateway.ts';
import { describeWithGenerators, startPrism } from '../../support/generators.ts';

const description = join(import.meta.dirname, '../../../docs/openapi.json');
const apiKey = `vis_${'0123456789ab'.repeat(4)}`;

let child: ChildProcess;
let baseUrl: string;

/** A client whose requests ask the mock for a response. */
const preferring = (prefer: string): Sightline =>
  new Sightline({
    baseUrl,
    apiKey,
    maxRetries: 0,
    fetch: async (input, init) =>
      await fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), prefer } }),
  });

type Method = (...ids: string[]) => Promise<{ data: unknown }>;
const snapshotId = '20261116T060000.000Z-a0892ed08a673250';

describeWithGenerators("the client reads Prism's mock of the API", () => {
  beforeAll(async () => {
    ({ url: baseUrl, child } = await startPrism('mock', description));
  });
  afterAll(() => void child?.kill());

  test.each(operations.map(({ operationId, path }) => [operationId, path]))(
    '%s reads what the description says',
    async (operationId, path) => {
      const methods = preferring('code=200') as unknown as Record<string, Method>;
      const values: Record<string, string> = { snapshotId, brandId, table: 'brands' };
      const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => values[name!]!);
      const { data } = await methods[operationId]!(...ids);
      expect(data).toEqual(expect.anything());
    },
  );

  test('the wait that a 429 names is read', async () => {
    const work = preferring('code=429').listBrands();
    await expect(work).rejects.toMatchObject({ retryAfterSeconds: expect.any(Number) });
  });

  test.each(Object.entries(errorTable))('%s is read as it is described', async (code, { status }) => {
    const work = preferring(`code=${status}, example=${code}`).getVisibility(brandId);
    await expect(work).rejects.toMatchObject({
      code,
      status,
      requestId: expect.any(String),
    });
  });
});
