/** @module-tag slow */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect, promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../../clients/typescript/package.json' with { type: 'json' };
import project from '../../../package.json' with { type: 'json' };
import { Sightline } from '../../../clients/typescript/src/index.ts';
import type { SightlineOptions, SightlineResponse } from '../../../clients/typescript/src/index.ts';
import examples from '../../openapi/examples.json' with { type: 'json' };
import { operations } from '../../../lib/documents/routes.ts';
import { brandId, startDescribedGateway } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import { EXAMPLE_TABLE } from '../../docs/examples.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startServer } from '../../support/http-server.ts';
import { root } from '../tools.ts';

let gateway: DescribedGateway;
beforeAll(async () => {
  gateway = await startDescribedGateway();
});
afterAll(() => gateway?.close());

const KEY = `vis_${'0123456789ab'.repeat(4)}`;
const make = (options: Partial<SightlineOptions>) =>
  new Sightline({ baseUrl: gateway.base, apiKey: gateway.key, ...options });

test('the client has a method for each operation, two helpers, and nothing else', () => {
  const methods = Object.getOwnPropertyNames(Sightline.prototype).filter((name) => name !== 'constructor');
  const ids = operations.map(({ operationId }) => operationId);
  expect(methods.toSorted()).toEqual([...ids, 'brands', 'changedDocuments'].toSorted());
});

test('the types are those of docs/openapi.json (npm run openapi)', { tags: ['long'] }, async () => {
  const committed = 'clients/typescript/src/api.ts';
  const made = join(await temporaryFolder(), 'api.ts');
  const [, command] = project.scripts.openapi.split('&&');
  expect(command).toContain(committed);
  const PATH = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
  await promisify(execFile)('sh', ['-c', command!.replace(committed, made)], { cwd: root, env: { PATH } });
  expect(await readFile(made, 'utf8')).toBe(await readFile(join(root, committed), 'utf8'));
});

test.each(operations)('$operationId returns the published data with its headers', async (operation) => {
  const { operationId, path } = operation;
  const sightline = make({});
  const methods = sightline as unknown as Record<
    string,
    (...ids: string[]) => Promise<SightlineResponse<unknown>>
  >;
  const { snapshotId } = gateway;
  const values: Record<string, string> = { snapshotId, brandId, table: EXAMPLE_TABLE };
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => values[name!]!);
  const { data, body, publishedAt, ...rest } = await methods[operationId]!(...names);
  expect(JSON.parse(body)).toEqual({ data });
  const name = operationId.replace(/^(?:get|list)|OfSnapshot$/g, '').toLowerCase();
  expect(data).toEqual((examples as Record<string, unknown>)[name] ?? data);
  const isList = operationId === 'listSnapshots';
  const [newest] = (await sightline.listSnapshots()).data;
  const second = Math.floor(Date.parse(newest!.publishedAt) / 1000) * 1000; // Last-Modified has no milliseconds
  expect(publishedAt).toEqual(isList || operationId === 'getSnapshotProof' ? null : new Date(second));
  expect(rest).toEqual({
    snapshotId: isList ? null : snapshotId,
    etag: expect.stringMatching(/^"[0-9a-f]{64}(?:-gzip)?"$/),
    fromCache: false,
    rateLimit: { limit: 1_000_000, remaining: expect.any(Number), resetsAt: expect.any(Date) },
    requestId: expect.any(String),
  });
  expect(rest.rateLimit!.resetsAt.getTime() % 60_000).toBe(0);
});

test('ids of any characters stay one part of the path', async () => {
  for (const id of ['.', '..', '../brands', 'a?b#c', '%2e%2e', '\u{1F600}', '\uD800', '']) {
    await expect(make({}).getVisibility(id)).rejects.toMatchObject({ code: 'not_found', status: 404 });
    // Without the part before it, the path of `..` is that of the current document.
    await expect(make({}).listBrandsOfSnapshot(id)).rejects.toMatchObject({ code: 'not_found' });
  }
});

const address = 'baseUrl must be an http or https address without a user';
test.each<[object, string]>([
  [{ baseUrl: 'ftp://example.com' }, address],
  [{ baseUrl: 'http://:word@a.example' }, address],
  [{ timeoutMs: 0 }, 'timeoutMs must be a number of milliseconds above 0'],
  [{ maxRetries: -1 }, 'maxRetries must be a number, 0 or more'],
  [{ userAgent: 'report\r\nx: y' }, 'userAgent must be printable ASCII'],
  [{ apiKey: undefined }, 'apiKey is missing or empty'],
  [{ apiKey: 'vis_secret\u0000' }, 'apiKey is malformed'],
])('refuses %j, in words that name the option', (options, message) => {
  expect(() => make(options)).toThrow(new RegExp(`^${message}$`));
});

test('accepts addresses and keys as people paste them, and sends the names and versions of programs', async () => {
  const sent: unknown[] = [];
  const base = await startServer(({ url, headers }, response) => {
    sent.push([url, headers.authorization, headers['user-agent']]);
    response.end('{"data":[]}');
  });
  expect(() => make({ timeoutMs: 1 })).not.toThrow();
  const options = { apiKey: ` ${KEY}\n`, timeoutMs: Infinity, userAgent: 'monday-report/1.2' };
  for (const end of ['', '//', '/api/v1/']) await make({ baseUrl: base + end, ...options }).listBrands();
  const agent = `monday-report/1.2 sightline-client/${manifest.version}`;
  expect(sent).toEqual(Array.from({ length: 3 }, () => ['/api/v1/brands', `Bearer ${KEY}`, agent]));
});

test('neither a client nor its errors show the key', async () => {
  const sightline = make({ baseUrl: 'http://127.0.0.1:1', apiKey: KEY, maxRetries: 0 });
  const error = await sightline.listBrands().catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/ECONNREFUSED|bad port/);
  const shown = [
    inspect(sightline, { depth: 9, showHidden: true }),
    JSON.stringify(sightline),
    inspect(error),
  ];
  expect(shown.join()).not.toContain(KEY.slice(4));
});
