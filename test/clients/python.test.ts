import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { faultProxy } from '../support/fault-proxy.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startServer } from '../support/http-server.ts';
import { describeWith } from '../support/requires.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { manualClock } from '../gateway/clock.ts';
import { setPlan, startListeningGateway, workspaceId } from '../gateway/gateway.ts';
import type { ListeningGateway } from '../gateway/gateway.ts';
import { acme, publishTables } from '../gateway/snapshots.ts';
import type { TableDocument } from '../../lib/documents/table.ts';

const docs = join(import.meta.dirname, '../../docs');
const visibility = `/brands/${acme.id}/visibility`;

let gateway: ListeningGateway;
let folder: string;

beforeEach(async () => {
  const clock = manualClock('2026-11-16T08:00:20.000Z');
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

/** The seconds that the newest client has waited; no time passes meanwhile. */
let waits: number[];

/** Prints the data of each path or table, or kind, code and status of the error; returns the lines. */
async function get(paths: string[], { base = gateway.base, key = gateway.key, attempts = 6 } = {}) {
  const script = `
import json, sys, time
from client import Client, SightlineError
url, key, folder, attempts, *paths = sys.argv[1:]
waits = []
time.sleep = waits.append
client = Client(url, key, folder, int(attempts))
for path in paths:
    try:
        print(json.dumps(client.table(*path.split()) if path[0] != '/' else client.get(path)))
    except SightlineError as error:
        print(type(error).__name__, error.code, error.status, error.request_id is not None)
print(json.dumps([wait for wait in waits if wait > 0]))
`;
  const env = { ...process.env, PYTHONPATH: docs, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await promisify(execFile)(
    'python3',
    ['-c', script, `${base}/`, key, join(folder, 'kept'), String(attempts), ...paths],
    { env },
  );
  const lines = stdout.trim().split('\n');
  waits = JSON.parse(lines.pop()!) as number[];
  return lines;
}

describeWith(['python3'], 'docs/client.py', () => {
  test('reads a table into rows, and sends no request for documents of a snapshot that it has in its folder', async () => {
    const snapshotId = await publishTables(gateway.log, workspaceId, '2026-11-23');
    await gateway.documents.refresh();
    const printed = await get(['visibility', ...[1, 2].map(() => `visibility ${snapshotId}`)]);
    expect(statuses()).toEqual([200, 200]);
    const raw = await ask(gateway.base, '/api/v1/tables/visibility', { headers: bearer(gateway.key) });
    const { columns, rows } = (JSON.parse(raw.text) as { data: TableDocument }).data;
    const named = rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])));
    expect(named.length).toBeGreaterThan(0);
    expect(printed.map((line) => JSON.parse(line) as unknown)).toEqual([named, named, named]);
    expect((await stat(join(folder, 'kept'))).mode & 0o777).toBe(0o700);
  });

  test('waits for Retry-After of a 429, then continues, and gives up after the last attempt', async () => {
    await setPlan(gateway.records, workspaceId, 'agency', 1);
    const printed = await get(['/brands', visibility]);
    expect(JSON.parse(printed[1]!)).toMatchObject({ brand: { id: acme.id } });
    expect(statuses()).toEqual([200, 429, 200]);
    expect(waits).toEqual([40]);
    await setPlan(gateway.records, workspaceId, 'agency', 0);
    expect(await get(['/brands'], { attempts: 1 })).toEqual(['RateLimited rate_limited 429 True']);
  });

  test('does not retry errors that need a person', async () => {
    expect(await get([`/brands/${workspaceId}/visibility`])).toEqual(['NotFound not_found 404 True']);
    await setPlan(gateway.records, workspaceId, 'starter', null);
    expect(await get(['/brands'])).toEqual(['KeyRefused plan_required 402 True']);
    await gateway.records.revokeKey(gateway.key.slice(0, 12));
    expect(await get(['/brands'])).toEqual(['KeyRefused invalid_key 401 True']);
    expect(statuses()).toEqual([404, 402, 401]);
    expect(waits).toEqual([]);
  });

  test('does not send the key to the target of a redirect', async () => {
    const keys: (string | undefined)[] = [];
    const other = await startServer(({ headers }, response) => {
      keys.push(headers.authorization);
      response.writeHead(401).end('{"error":{"code":"missing_key","message":"no key"}}');
    });
    const base = await startServer(({ url }, response) => {
      response.writeHead(302, { location: other + url }).end();
    });
    expect(await get(['/brands'], { base })).toEqual(['KeyRefused missing_key 401 False']);
    expect(keys).toEqual([undefined]);
  });

  test('waits longer each time a proxy fails, the connection breaks or a body ends too early', async () => {
    const faults: Fault[] = ['refused 500', 'half', 'lost'];
    const proxy = await faultProxy(gateway.base, () => faults.shift() ?? null);
    onTestFinished(() => proxy.close());
    const [printed] = await get([visibility], { base: proxy.endpoint, attempts: 4 });
    expect(JSON.parse(printed!)).toMatchObject({ brand: { id: acme.id } });
    const shares = waits.map((seconds, attempt) => seconds / 2 ** attempt);
    expect(shares).toHaveLength(3);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.25);
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.5);
    faults.push('lost');
    const failed = await get(['/brands'], { base: proxy.endpoint, attempts: 1 });
    expect(failed).toEqual(['SightlineError network None False']);
  });

  test('gives up at once if a proxy asks for an hour, but not if it names a date', async () => {
    const asked = ['3600', 'Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'];
    const base = await startServer((_request, response) => {
      response.writeHead(503, { 'retry-after': asked.shift() }).end('<html>');
    });
    const unexpected = 'SightlineError unexpected 503 False';
    expect(await get(['/brands', visibility], { base, attempts: 2 })).toEqual([unexpected, unexpected]);
    expect([asked, waits.length]).toEqual([[], 1]);
  });
});
