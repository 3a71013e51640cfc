import { execFile } from 'node:child_process';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildOpenApi } from '../../../lib/openapi/index.ts';
import { operations } from '../../../lib/openapi/operations.ts';
import { samplesOf } from '../../../gateway/docs/examples.js';
import { documentationFiles } from '../../../gateway/docs/documentation.ts';
import { describeWith } from '../../support/requires.ts';
import { ask } from '../ask.ts';
import { startDescribedGateway } from '../described-gateway.ts';
import type { ListeningGateway } from '../gateway.ts';

let gateway: ListeningGateway;
let base: string;

beforeAll(async () => {
  gateway = await startDescribedGateway();
  ({ base } = gateway);
});
afterAll(() => gateway.close());

const run = promisify(execFile);

const sample = (language: string) =>
  samplesOf('/api/v1/brands', base).find(({ label }) => label === language)!.source;

describe('the examples', () => {
  test.each(operations)('of $operationId name its address, with the key from outside', ({ path }) => {
    const address = 'https://api.example';
    const brand = ['$BRAND_ID', '${brandId}', '{brand_id}'];
    const snapshot = ['$SNAPSHOT_ID', '${snapshotId}', '{snapshot_id}'];
    for (const [index, { source }] of samplesOf(path, address).entries()) {
      const own = path.replace('{brandId}', brand[index]!).replace('{snapshotId}', snapshot[index]!);
      expect(source).toContain(`${address}${own}`);
      expect(source).toMatch(/SIGHTLINE_API_KEY/);
    }
  });

  test('the one in TypeScript prints the data', async () => {
    const env = { ...process.env, SIGHTLINE_API_KEY: await gateway.createKey() };
    const words = ['--input-type=module-typescript', '-e', sample('TypeScript')];
    expect((await run(process.execPath, words, { env })).stdout).toContain("name: 'Fjordfield'");
  });

  describeWith(['python3'], 'in Python', () => {
    test('prints the data, or the error', async () => {
      const words = ['-c', sample('Python')];
      const env = { ...process.env, SIGHTLINE_API_KEY: await gateway.createKey() };
      expect((await run('python3', words, { env })).stdout).toContain("'name': 'Fjordfield'");
      const wrong = run('python3', words, { env: { ...env, SIGHTLINE_API_KEY: 'vis_no' } });
      await expect(wrong).rejects.toMatchObject({ code: 1, stderr: 'invalid_key\n' });
    });
  });
});

describe('the documentation page', () => {
  test('and its files need no key, are compressed, and are sent once', async () => {
    const files = await documentationFiles('{}');
    expect(files.map(({ url }) => url)).toContain('/docs');
    for (const { url, type } of files) {
      const answer = await ask(base, url, { headers: ['Accept-Encoding', 'gzip, br'] });
      expect([url, answer.status]).toEqual([url, 200]);
      expect(answer.headers).toMatchObject({
        'content-type': type,
        'content-encoding': 'br',
        'x-content-type-options': 'nosniff',
      });
      expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(answer.headers['content-security-policy']).not.toMatch(/unsafe|sha256|\*|http|data:/);
      const condition = ['Accept-Encoding', 'br', 'If-None-Match', answer.headers.etag!];
      const again = await ask(base, url, { headers: condition });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    expect((await ask(base, '/docs/../gateway/main.ts')).status).toBe(401);
    expect((await ask(base, '/docs/main.ts')).status).toBe(401);
  });
});

test('with PUBLIC_URL the OpenAPI file has that address for all clients, and is compressed', async () => {
  const files = await documentationFiles(JSON.stringify(buildOpenApi()), 'https://api.example/sightline');
  const document = await files
    .find(({ url }) => url === '/openapi.json')!
    .document(new IncomingMessage(new Socket()));
  const { servers } = JSON.parse(document.variants.identity.body.toString()) as { servers: unknown };
  expect(servers).toEqual([expect.objectContaining({ url: 'https://api.example/sightline' })]);
  expect(document.variants.br.body.length).toBeLessThan(document.variants.identity.body.length / 4);
});

test('without PUBLIC_URL the OpenAPI file is prepared once for each of the first 100 hosts, and compressed', async () => {
  const files = await documentationFiles(JSON.stringify(buildOpenApi()));
  const documentFor = async (host: string) => {
    const request = new IncomingMessage(new Socket());
    request.headers.host = host;
    return await files.find(({ url }) => url === '/openapi.json')!.document(request);
  };
  const addressFor = async (host: string) => {
    const { variants } = await documentFor(host);
    return (JSON.parse(variants.identity.body.toString()) as { servers: { url: string }[] }).servers[0]!.url;
  };
  const hosts = Array.from({ length: 100 }, (_, index) => `host-${index}.example`);
  for (const host of hosts) expect(await addressFor(host)).toBe(`http://${host}`);
  expect(await addressFor('another.example')).toBe('http://127.0.0.1:80');
  expect(await addressFor(hosts[0]!)).toBe(`http://${hosts[0]}`);
  const { identity, br } = (await documentFor(hosts[0]!)).variants;
  expect(await documentFor(hosts[0]!)).toBe(await documentFor(hosts[0]!));
  expect(br.body.length).toBeLessThan(identity.body.length / 4);
});
