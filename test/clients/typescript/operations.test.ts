/** @module-tag slow */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Sightline } from '../../../clients/typescript/src/index.ts';
import type { SightlineResponse } from '../../../clients/typescript/src/index.ts';
import examples from '../../openapi/examples.json' with { type: 'json' };
import { operations } from '../../../lib/documents/routes.ts';
import { brandId, startDescribedGateway } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import { EXAMPLE_TABLE } from '../../docs/examples.ts';
import { temporaryFolder } from '../../support/folder.ts';

const root = join(import.meta.dirname, '../../..');

let gateway: DescribedGateway;
let sightline: Sightline;
beforeAll(async () => {
  gateway = await startDescribedGateway();
  sightline = new Sightline({ baseUrl: gateway.base, apiKey: gateway.key });
});
afterAll(() => gateway?.close());

/** `Last-Modified` has no milliseconds. */
const secondOf = (instant: string): Date => new Date(Math.floor(Date.parse(instant) / 1000) * 1000);

type Method = (...ids: string[]) => Promise<SightlineResponse<unknown>>;
const ids: string[] = operations.map(({ operationId }) => operationId);

/** Calls the method of an operation with the ids that its path has. */
async function call(operationId: string): Promise<SightlineResponse<unknown>> {
  const { path } = operations.find((operation) => operation.operationId === operationId)!;
  const methods = sightline as unknown as Record<string, Method>;
  const values: Record<string, string> = { snapshotId: gateway.snapshotId, brandId, table: EXAMPLE_TABLE };
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return await methods[operationId]!(...names.map((name) => values[name]!));
}

/** The document of the examples that an operation returns, now or of a snapshot; `given` for the log's own. */
function publishedBy(operationId: string, given: unknown): unknown {
  const name = operationId.replace(/^(?:get|list)|OfSnapshot$/g, '').toLowerCase();
  return (examples as Record<string, unknown>)[name] ?? given;
}

test('the client has a method for each operation, two helpers, and nothing else', () => {
  const methods = Object.getOwnPropertyNames(Sightline.prototype).filter((name) => name !== 'constructor');
  expect(methods.toSorted()).toEqual([...ids, 'brands', 'changedDocuments'].toSorted());
});

test('the types are those of docs/openapi.json (npm run openapi)', async () => {
  const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    scripts: { openapi: string };
  };
  const committed = 'clients/typescript/src/api.ts';
  const made = join(await temporaryFolder(), 'api.ts');
  const [, command] = scripts.openapi.split('&&');
  expect(command).toContain(committed);
  const PATH = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
  await promisify(execFile)('sh', ['-c', command!.replace(committed, made)], { cwd: root, env: { PATH } });
  expect(await readFile(made, 'utf8')).toBe(await readFile(join(root, committed), 'utf8'));
});

test.each(ids)('%s returns the published data with its headers', async (operationId) => {
  const { data, body, ...rest } = await call(operationId);
  expect(JSON.parse(body)).toEqual({ data });
  expect(data).toEqual(publishedBy(operationId, data));
  const isList = operationId === 'listSnapshots';
  const other = new Sightline({ baseUrl: gateway.base, apiKey: gateway.key });
  const [newest] = (await other.listSnapshots()).data;
  expect(rest).toEqual({
    snapshotId: isList ? null : gateway.snapshotId,
    publishedAt: isList || operationId === 'getSnapshotProof' ? null : secondOf(newest!.publishedAt),
    etag: expect.stringMatching(/^"[0-9a-f]{64}(?:-gzip)?"$/),
    fromCache: false,
    rateLimit: { limit: 1_000_000, remaining: expect.any(Number), resetsAt: expect.any(Date) },
    requestId: expect.any(String),
  });
  expect(rest.rateLimit!.resetsAt.getTime() % 60_000).toBe(0);
  expect(Math.abs(rest.rateLimit!.resetsAt.getTime() - Date.now())).toBeLessThan(120_000);
});

test('ids of any characters stay one part of the path', async () => {
  const notFound = { code: 'not_found', status: 404 };
  for (const id of ['.', '..', '../brands', 'a?b#c', '%2e%2e', '\u{1F600}', '\uD800', '']) {
    await expect(sightline.getVisibility(id)).rejects.toMatchObject(notFound);
    // Without the part before it, the path of `..` is that of the current document.
    await expect(sightline.listBrandsOfSnapshot(id)).rejects.toMatchObject(notFound);
  }
});

test.each(['/', '//', '/api/v1/'])('accepts the URL with "%s" at its end', async (end) => {
  const other = new Sightline({ baseUrl: gateway.base + end, apiKey: ` ${gateway.key}\n` });
  expect((await other.listBrands()).data).toEqual(examples.brands);
});
