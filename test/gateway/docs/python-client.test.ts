import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { currentOf } from '../../../snapshots/log/history.ts';
import { faultProxy } from '../../support/fault-proxy.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeWith } from '../../support/requires.ts';
import { ask } from '../ask.ts';
import { manualClock } from '../clock.ts';
import type { ManualClock } from '../clock.ts';
import { setPlan, startListeningGateway, workspaceId } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { startRedirect } from '../redirect.ts';
import { acme } from '../snapshots.ts';

const docs = join(import.meta.dirname, '../../../docs');
const visibility = `/brands/${acme.id}/visibility`;

let gateway: ListeningGateway;
let clock: ManualClock;
let folder: string;

beforeEach(async () => {
  clock = manualClock('2026-11-16T08:00:59.000Z');
  gateway = await startListeningGateway(clock, {
    observe: (observer) => ({
      ...observer,
      answered(request) {
        observer.answered(request);
        if (request.status === 429) clock.set('2026-11-16T08:01:00.000Z');
      },
    }),
  });
  onTestFinished(() => gateway.close());
  folder = await temporaryFolder();
});

const statuses = () => gateway.observed.answered.map(({ status }) => status);

/** Runs a script that gets each path and prints the data, or kind, code and status of the error; returns its output. */
async function get(paths: string[], { base = gateway.base, key = gateway.key, attempts = 6 } = {}) {
  const script = `
import json, sys
from client import Client, SightlineError
url, key, folder, attempts, *paths = sys.argv[1:]
client = Client(url, key, folder, int(attempts))
for path in paths:
    try:
        print(json.dumps(client.get(path)))
    except SightlineError as error:
        print(type(error).__name__, error.code, error.status, error.request_id is not None)
`;
  const env = { ...process.env, PYTHONPATH: docs, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await promisify(execFile)(
    'python3',
    ['-c', script, `${base}/`, key, join(folder, 'kept'), String(attempts), ...paths],
    { env },
  );
  return stdout.trim().split('\n');
}

/** Runs docs/client.py as a script: exit status and complaint. */
const runScript = async (env: Record<string, string>) =>
  await promisify(execFile)('python3', [join(docs, 'client.py')], {
    cwd: folder,
    env: { PATH: process.env['PATH']!, ...env },
  }).catch(({ code, stderr }: { code: number; stderr: string }) => [code, stderr]);

/** A proxy that counts the bytes of the bodies. */
async function countingProxy() {
  const bodies: number[] = [];
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { host: _host, connection: _connection, ...given } = request.headers;
    const answer = await ask(gateway.base, request.url!, {
      headers: Object.entries(given).flat() as string[],
    });
    bodies.push(answer.body.length);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer((request, response) => void forward(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

async function faulty(faultsInTurn: (Fault | null)[]) {
  const proxy = await faultProxy(gateway.base, (number) => faultsInTurn[number - 1] ?? null);
  onTestFinished(() => proxy.close());
  return proxy.endpoint;
}

test('every gateway has docs/client.py, without a key, and its page links it', async () => {
  const served = await ask(gateway.base, '/docs/client.py');
  expect([served.status, served.text]).toEqual([200, await readFile(join(docs, 'client.py'), 'utf8')]);
  expect((await ask(gateway.base, '/docs')).text).toContain('href="/docs/client.py"');
});

describeWith(['python3'], 'docs/client.py', () => {
  test('keeps ETags in a folder: a second run costs no body', async () => {
    const { base, bodies } = await countingProxy();
    const paths = ['/brands', visibility];
    const first = await get(paths, { base });
    expect(JSON.parse(first[0]!)).toMatchObject([{ id: acme.id }]);
    expect(Math.min(...bodies)).toBeGreaterThan(0);
    bodies.length = 0;
    expect(await get(paths, { base })).toEqual(first);
    expect(bodies).toEqual([0, 0]);
    expect(statuses()).toEqual([200, 200, 304, 304]);
    // Responses are the workspace's own: other users of the machine cannot read them.
    expect((await stat(join(folder, 'kept'))).mode & 0o777).toBe(0o700);
  });

  test('waits for Retry-After of a 429, then continues', async () => {
    await setPlan(gateway.records, workspaceId, 'agency', 1);
    const printed = await get(['/brands', visibility]);
    expect(JSON.parse(printed[1]!)).toMatchObject({ brand: { id: acme.id } });
    expect(statuses()).toEqual([200, 429, 200]);
  });

  test('gives up after the last 429', async () => {
    await setPlan(gateway.records, workspaceId, 'agency', 0);
    expect(await get(['/brands'], { attempts: 1 })).toEqual(['RateLimited rate_limited 429 True']);
  });

  test('does not retry errors that need a person', async () => {
    await gateway.records.revokeKey(gateway.key.slice(0, 12));
    expect(await get(['/brands'])).toEqual(['KeyRefused invalid_key 401 True']);
    const key = await gateway.createKey();
    expect(await get([`/brands/${workspaceId}/visibility`], { key })).toEqual([
      'NotFound not_found 404 True',
    ]);
    await setPlan(gateway.records, workspaceId, 'starter', null);
    expect(await get(['/brands'], { key })).toEqual(['KeyRefused plan_required 402 True']);
    expect(statuses()).toEqual([401, 404, 402]);
  });

  test('as a script reports an error in one line, with status 1', async () => {
    expect(await runScript({})).toEqual([1, 'set SIGHTLINE_URL\n']);
    const [status, complaint] = (await runScript({
      SIGHTLINE_URL: gateway.base,
      SIGHTLINE_API_KEY: 'x',
    })) as [number, string];
    expect(status).toBe(1);
    expect(complaint).toMatch(
      /^invalid_key: The API key is malformed, unknown or revoked\. \(request \S+\)\n$/,
    );
  });

  test('does not send the key to the target of a redirect', async () => {
    const { base, received } = await startRedirect();
    expect(await get(['/brands'], { base })).toEqual(['KeyRefused missing_key 401 False']);
    expect(received.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test.each([
    ['3600', 1],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 2],
    ['1', 2],
  ])('a proxy with "Retry-After: %s" gets %i of 2 requests', async (retryAfter, expected) => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(503, { 'retry-after': retryAfter }).end('<html>');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await get(['/brands'], { base, attempts: 2 })).toEqual(['SightlineError unexpected 503 False']);
    expect(requests).toBe(expected);
  });

  test('retries a 500, and gives up after the last attempt', async () => {
    const log = (await readLog(gateway.store, gateway.log))!;
    const { snapshotId } = currentOf((await readHistory(gateway.store, log, workspaceId))!)!;
    const key = `${snapshotPrefix(workspaceId, snapshotId)}${documentPath(acme.id, 'visibility')}`;
    const file = join(gateway.storeFolder, key);
    await rename(file, `${file}.away`);
    expect(await get([visibility], { attempts: 2 })).toEqual(['SightlineError internal 500 True']);
    expect(statuses()).toEqual([500, 500]);
  });

  test('retries if a proxy fails, the connection breaks, or a body ends too early', async () => {
    const base = await faulty(['refused 500', 'lost', 'half', 'refused 503']);
    const [printed] = await get([visibility], { base });
    expect(JSON.parse(printed!)).toMatchObject({ brand: { id: acme.id } });
    expect(await get(['/brands'], { base: await faulty(['refused 503']), attempts: 1 })).toEqual([
      'SightlineError unexpected 503 False',
    ]);
    expect(await get(['/brands'], { base: await faulty(['lost']), attempts: 1 })).toEqual([
      'SightlineError network None False',
    ]);
  });
});
