import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { operations } from '../../../lib/documents/routes.ts';
import { apiTables } from '../../../lib/tables/names.ts';
import { samplesOf } from '../../../gateway/docs/examples.js';
import { documentationFiles } from '../../../gateway/docs/documentation.ts';
import { exploreFiles } from '../../../gateway/explore/files.ts';
import { describeWith } from '../../support/requires.ts';
import { describedApi } from '../../openapi/description.ts';
import examples from '../../openapi/examples.json' with { type: 'json' };
import { ask } from '../ask.ts';
import { startDescribedGateway } from '../described-gateway.ts';
import { startListeningGateway } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';

let gateway: ListeningGateway;
let base: string;

beforeAll(async () => {
  gateway = await startDescribedGateway();
  ({ base } = gateway);
});
afterAll(() => gateway.close());

const run = promisify(execFile);
const { name } = examples.brands[0]!;

const sample = (language: string) =>
  samplesOf('/api/v1/brands', base).find(({ label }) => label === language)!.source;

describe('the examples', () => {
  test('have known ids filled in, and nothing that could end their quotes', () => {
    const path = '/api/v1/brands/{brandId}/prompts';
    const texts = (brandId: string) => samplesOf(path, base, { brandId }).map(({ source }) => source);
    for (const shown of texts('12-ab')) expect(shown).toMatch(/['"]12-ab['"]/);
    expect(texts(`'; rm -rf "`)).toEqual(texts(''));
  });

  test('the one in TypeScript prints the data', async () => {
    const env = { ...process.env, SIGHTLINE_API_KEY: await gateway.createKey() };
    const words = ['--input-type=module-typescript', '-e', sample('TypeScript')];
    expect((await run(process.execPath, words, { env })).stdout).toContain(`name: '${name}'`);
  });

  describeWith(['python3'], 'in Python', () => {
    test('prints the data, or the error', async () => {
      const words = ['-c', sample('Python')];
      const env = { ...process.env, SIGHTLINE_API_KEY: await gateway.createKey() };
      expect((await run('python3', words, { env })).stdout).toContain(`'name': '${name}'`);
      const wrong = run('python3', words, { env: { ...env, SIGHTLINE_API_KEY: 'vis_no' } });
      await expect(wrong).rejects.toMatchObject({ code: 1, stderr: 'invalid_key\n' });
    });
  });
});

test('the documentation page and its files need no key, are compressed, and are sent once', async () => {
  const files = [...documentationFiles(), ...exploreFiles(async () => undefined)].filter(
    ({ url }) => !url.endsWith('.pem'),
  );
  expect(files.map(({ url }) => url)).toEqual(expect.arrayContaining(['/docs', '/explore']));
  for (const { url, type } of files) {
    const answer = await ask(base, url, { headers: ['Accept-Encoding', 'gzip, br'] });
    expect([url, answer.status]).toEqual([url, 200]);
    expect(answer.headers).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      link: '</openapi.json>; rel="service-desc"',
    });
    expect(answer.headers['content-encoding']).toBe(url === '/openapi.json' ? undefined : 'gzip');
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(answer.headers['content-security-policy']).not.toMatch(/unsafe|sha256|\*|http|data:/);
    const condition = ['Accept-Encoding', 'gzip', 'If-None-Match', answer.headers.etag!];
    const again = await ask(base, url, { headers: condition });
    expect([again.status, again.text]).toEqual([304, '']);
  }
  expect((await ask(base, '/docs/../gateway/main.ts')).status).toBe(401);
});

test('/llms.txt names tables and paths that exist', async () => {
  const { text } = await ask(base, '/llms.txt');
  const paths = [...text.matchAll(/`GET (\S+)`/g)].map(([, path]) => path);
  expect(operations.map(({ path }) => path)).toEqual(expect.arrayContaining(paths));
  expect(paths.length).toBeGreaterThan(4);
  for (const table of apiTables) expect(text).toContain(`\`${table}\``);
  for (const [, url] of text.matchAll(/\]\((\S+)\)/g)) expect((await ask(base, url!)).status).toBe(200);
});

test('with PUBLIC_URL the OpenAPI file has that address for all clients, and is compressed', async () => {
  const publicFiles = documentationFiles('https://api.example/sightline');
  const other = await startListeningGateway(undefined, { publicFiles });
  onTestFinished(() => other.close());
  const plain = await ask(other.base, '/openapi.json');
  const described = JSON.parse(JSON.stringify(describedApi())) as object;
  const servers = [expect.objectContaining({ url: 'https://api.example/sightline' })];
  expect(JSON.parse(plain.text)).toEqual({ ...described, servers });
  const gzip = await ask(other.base, '/openapi.json', { headers: ['Accept-Encoding', 'gzip'] });
  expect(gzip.body.length).toBeLessThan(plain.body.length / 4);
});

test('without PUBLIC_URL the OpenAPI file names the host of each request, and the scheme that a proxy names, or is relative to its own address: golden/servers.txt', async () => {
  const hosts = ['host.example', 'api.example:8443', '[::1]:80'];
  const invalid = ['a"b', 'a\\b', 'a/b', 'user@host', '<b>', 'a'.repeat(300), '-', ''];
  const tags = new Map<string, string>();
  for (const host of [...hosts, ...invalid]) {
    for (const scheme of ['', 'https', 'javascript']) {
      const headers = ['Accept-Encoding', 'gzip, br', 'X-Forwarded-Proto', scheme];
      const answer = await ask(base, '/openapi.json', { host, headers });
      const { etag, vary, 'content-encoding': coding } = answer.headers;
      const known = await ask(base, '/openapi.json', { host, headers: [...headers, 'If-None-Match', etag!] });
      expect([vary, coding, known.status]).toEqual(['X-Forwarded-Proto', undefined, 304]);
      const { servers } = JSON.parse(answer.text) as { servers: { url: string }[] };
      tags.set(`Host: ${host}, X-Forwarded-Proto: ${scheme} → ${JSON.stringify(servers)}`, etag!);
    }
  }
  expect(new Set(tags.values()).size).toBe(2 * hosts.length + 1);
  await expect(`${[...tags.keys()].join('\n')}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, 'golden/servers.txt'),
  );
});
