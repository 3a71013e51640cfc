import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { serveHttp } from '../../../clients/mcp/src/command.ts';
import { readSettings } from '../../../clients/mcp/src/settings.ts';
import { pageText } from '../../docs/pages.ts';
import { ask, bearer } from '../../gateway/ask.ts';
import { exampleDocuments, startDescribedGateway } from '../../gateway/described-gateway.ts';
import type { DescribedGateway } from '../../gateway/described-gateway.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { runHere } from '../../support/command-line.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { startLiar } from '../tools.ts';
import { callOfEach, calls } from './calls.ts';
import type { Call } from './calls.ts';
import { publishWorkspaces } from './workspaces.ts';

const MAX_BYTES = 30_000;

/** The gateway's clock, which stands still: all requests of a test are in one minute, which ends after 50 seconds. */
const clock = { now: () => Date.parse('2026-11-24T06:30:10Z') };

/** The requests that the gateway got since the last call. */
const asked: string[] = [];
/** The addresses of servers, by what is particular about them. */
let servers: Record<string, string>;
let gateway: DescribedGateway;
let published: Awaited<ReturnType<typeof publishWorkspaces>>;

beforeAll(async () => {
  gateway = await startDescribedGateway(clock);
  published = await publishWorkspaces(gateway);
});
afterAll(() => gateway?.close());

/** What the servers reported. */
const reported: string[] = [];

async function serve(url: string, publicKeyFile = '', PORT = '0'): Promise<string> {
  const given = { SIGHTLINE_URL: url, SIGHTLINE_PUBLIC_KEY_FILE: publicKeyFile, PORT };
  const server = serveHttp(readSettings(given, true), (message) => reported.push(message));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeEach(async () => {
  const { publicKey } = gateway.log.keys;
  const folder = await temporaryFolder();
  const [other, broken] = [await makeTestKeys(folder, 'other'), join(folder, 'broken.pem')];
  writeFileSync(broken, readFileSync(publicKey, 'utf8').replace(/\n[^-]/, '\n!'));
  const liar = async (alter: (text: string) => string) =>
    await startLiar(gateway.base, (text, path) => {
      asked.push(path.replace('/api/v1/', ''));
      return path.endsWith('/snapshots') ? alter(text) : text;
    });
  const honest = await liar(String);
  const dayLater = await liar((text) => text.replaceAll('"asOf":"2026-11-17', '"asOf":"2026-11-24'));
  const old = await liar((text) => text.replaceAll('"id":"', '"id":"old-'));
  servers = {
    'all settings': await serve(honest, publicKey),
    'no public key': await serve(honest),
    'another public key': await serve(honest, other.publicKey),
    'a broken public key': await serve(honest, broken),
    'no gateway': await serve('http://127.0.0.1:1', publicKey),
    'a gateway that lies about the day': await serve(dayLater, publicKey),
    'a gateway with an old list': await serve(old, publicKey),
  };
});

const type = ['Content-Type', 'application/json', 'Accept', 'application/json, text/event-stream'];

/** The result of a method of the protocol. */
async function send(server: string, workspace: string, method: string, params: object): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = [...type, ...bearer(published.keys[workspace]!)];
  const { text } = await ask(servers[server]!, '/mcp', { method: 'POST', headers, body });
  return (JSON.parse(/^data: (.*)$/m.exec(text)![1]!) as { result: unknown }).result;
}

interface Content {
  inWords?: string[];
  untrusted: { fields: string[] };
  data: unknown;
}

/** What a tool returns, or its error, and the fields with texts that are not marked as written by others. */
async function callTool([workspace, name, input, server = 'all settings']: Call): Promise<object> {
  const withIds = JSON.stringify(input).replaceAll(
    /the snapshot of ([\d-]+)/g,
    (_, day) => published.snapshots[day]!,
  );
  const params = { name, arguments: JSON.parse(withIds) as object };
  const result = await send(server, workspace, 'tools/call', params);
  const { content, isError } = result as { content: [{ text: string }]; isError?: true };
  const [{ text }] = content;
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
  for (const key of Object.values(published.keys)) expect(text).not.toContain(key.slice(4, 20));
  if (isError) return { isError, ...(JSON.parse(text) as object) };
  const { data, ...rest } = JSON.parse(text) as Content;
  const others = new Set(rest.untrusted.fields.map((field) => `.${field}`));
  const ours = new Set(pathsOfTexts({ data, inWords: rest.inWords })).difference(others);
  const whole = Object.entries(exampleDocuments).find(([, each]) => isDeepStrictEqual(each, data));
  const shown = whole === undefined ? data : `all of the example of ${whole[0]}`;
  return { ...rest, ours: [...ours].join(' '), data: shown };
}

/** The path of every text in a value, such as `.data.prompts[].engines[].core[].entity`. */
function pathsOfTexts(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return [path];
  if (Array.isArray(value)) return value.flatMap((item) => pathsOfTexts(item, `${path}[]`));
  return Object.entries(value ?? {}).flatMap(([name, inner]) => pathsOfTexts(inner, `${path}.${name}`));
}

const countRuns = (text: string) =>
  text.replaceAll(/(.)\1{99,}/gu, (run, one: string) => `${one}×${run.length}`);

async function expectGolden(text: string, name: string): Promise<void> {
  // Keys are new in each run, and with them what is signed.
  const stable = text
    .replaceAll(/Z-[0-9a-f]{16}/g, 'Z-HASH')
    .replaceAll(/("(?:requestId|signedBy|rootHash)": )"[^"]+"/g, '$1"…"');
  await expect(countRuns(stable)).toMatchFileSnapshot(join(import.meta.dirname, 'golden', `${name}.txt`));
}

test.each(Object.entries(calls))('the results of calls are golden/%s.txt', async (name, rows) => {
  const lines: string[] = [];
  for (const call of rows) {
    const [workspace, tool, input, server = 'all settings'] = call;
    asked.length = 0;
    const result = await callTool(call);
    lines.push(
      `# ${workspace}, ${server}: ${tool} ${JSON.stringify(input)}`,
      ...asked.toSorted().map((path) => `# ${path}`),
      `${JSON.stringify(result, null, 1)}\n`,
    );
  }
  await expectGolden(lines.join('\n'), name);
});

test('the tools and the prompt are golden/server.txt, cost few tokens, and take as many requests as the page says', async () => {
  const [clientInfo, brand] = [{ name: 'test', version: '1' }, ' Acme "A" '];
  const questions: [method: string, params: object][] = [
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }],
    ['tools/list', {}],
    ['prompts/list', {}],
    ['prompts/get', { name: 'monday_report', arguments: {} }],
    ['prompts/get', { name: 'monday_report', arguments: { brand } }],
  ];
  const parts = await Promise.all(questions.map((each) => send('all settings', 'examples', ...each)));
  await expectGolden(parts.map((part) => `${JSON.stringify(part, null, 1)}\n`).join('\n'), 'server');
  // An assistant carries them in every conversation. Tokenizers take at least three bytes of English and JSON a token.
  expect(Buffer.byteLength(JSON.stringify(parts[1])) / 3).toBeLessThan(2500);
  const [, table] = pageText('clients/mcp/README.md').split('<!-- tools -->');
  const onPage = [...table!.matchAll(/^\| `(\w+)` +\|[^|]+\| (\d+) /gm)];
  const taken: string[][] = [];
  await callTool(['examples', 'list_brands', {}]); // reads the as-of time of the week
  for (const call of callOfEach) {
    asked.length = 0;
    await callTool(call);
    taken.push([call[1], String(asked.length)]);
  }
  expect(taken).toEqual(onPage.map(([, name, count]) => [name, count]));
});

test('requests over HTTP that are not calls are golden/http.txt', async () => {
  const key = bearer(published.keys['examples']!);
  const lines: string[] = [];
  for (const [method, path, headers, body] of [
    ['POST', '/mcp', [], '{}'],
    ['POST', '/mcp', bearer('vis_short'), '{}'],
    ['POST', '/mcp', ['X-Api-Key', key[1]!], '{}'],
    ['POST', '//', key, '{}'],
    ['GET', '/mcp', key, undefined],
    ['POST', '/mcp', key, `{"a":"${'a'.repeat(200_000)}"}`],
    ['POST', '/mcp', key, 'no JSON'],
    ['POST', '/mcp', key, '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
  ] as const) {
    const question = { method, headers: [...type, ...headers], ...(body !== undefined && { body }) };
    const { status, headers: sent, text } = await ask(servers['all settings']!, path, question);
    const sends = `${method} ${path} ${headers[0] ?? ''} ${body?.slice(0, 9) ?? ''}`;
    lines.push(`${sends}\n${status} ${sent['www-authenticate'] ?? ''}\n${text.trim()}\n`);
  }
  reported.length = 0;
  // No web request can have this method.
  await expect(ask(servers['all settings']!, '/mcp', { method: 'TRACE' })).rejects.toThrow('socket hang up');
  await expectGolden([...lines, ...reported, ''].join('\n'), 'http');
});

const sound = {
  SIGHTLINE_URL: ' https://a.example/base ',
  SIGHTLINE_API_KEY: `vis_${'0123456789ab'.repeat(4)}`,
};

test('settings that are wrong end the program with one line, golden/program.txt', async () => {
  const lines: string[] = [];
  for (const [words, settings] of [
    [['--help'], {}],
    [['--version'], {}],
    [['--port', '1'], sound],
    [[], {}],
    ...['nonsense', 'ftp://a.example', 'https://me@a.example', 'https://:word@a.example'].map(
      (url) => [[], { ...sound, SIGHTLINE_URL: url }] as const,
    ),
    [[], { ...sound, SIGHTLINE_API_KEY: ' ' }],
    [[], { ...sound, SIGHTLINE_API_KEY: `${sound.SIGHTLINE_API_KEY}f` }],
    [[], { ...sound, SIGHTLINE_PUBLIC_KEY_FILE: 'nowhere.pem' }],
    [[], { ...sound, SIGHTLINE_PUBLIC_KEY_FILE: 'package.json' }],
    ...['x', '65536', '100000', '-1'].map((port) => [['--http'], { ...sound, PORT: port }] as const),
  ] as const) {
    const { status, stdout, stderr } = await runHere('sightline-mcp', words, { settings });
    lines.push(
      `$ sightline-mcp ${words.join(' ')} ${JSON.stringify(settings)}\n${stdout}${stderr}${status}\n`,
    );
  }
  const place = { ...sound, HOST: '::1', PORT: '65535' };
  lines.push(JSON.stringify([readSettings(sound, false), readSettings(place, true)], null, 1), '');
  await expectGolden(lines.join('\n'), 'program');
});

test('the address is reported, and a port that is in use ends the program with one line', async () => {
  const { origin, port } = new URL(servers['no gateway']!);
  expect(reported).toContain(`serving ${origin}/mcp`);
  await expect(serve(origin, '', port)).rejects.toThrow('EADDRINUSE');
  const message = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  expect([reported.at(-1), process.exitCode]).toEqual([message, 1]);
  process.exitCode = undefined;
});
