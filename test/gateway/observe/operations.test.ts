import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../../gateway/observe/log.ts';
import { startGateway } from '../../../gateway/start-gateway.ts';
import { readConfig } from '../../../lib/config.ts';
import { openRecords } from '../../adapters/read-over-http.ts';
import { testLog } from '../../snapshots/publish.ts';
import type { TestLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { until } from '../../support/until.ts';
import { ask, bearer } from '../ask.ts';
import { manualClock } from '../clock.ts';
import { createKey, otherWorkspaceId, setPlan, settingsOf, workspaceId } from '../gateway.ts';
import { acme, publishBrands } from '../snapshots.ts';

const REFRESH_SECONDS = 3600;
const unpublishedId = '33333333-3333-4333-8333-333333333333';
const visibility = `/api/v1/brands/${acme.id}/visibility`;

let folder: string;
let published: TestLog;
beforeEach(async () => {
  folder = await temporaryFolder();
  published = await testLog(folder);
  await publishBrands(published, workspaceId, [acme], undefined, { isWhole: true });
  await openRecords(folder).close();
});

/** Starts a gateway in this process, as `npm run gateway` does; `lines` are those of its log. */
async function start(clock = manualClock('2026-11-17T06:00:10Z'), more: Record<string, string> = {}) {
  const lines: string[] = [];
  const write = (text: string | Uint8Array) => void lines.push(Buffer.from(text).toString());
  const log = createLog('info', { write, droppedLines: () => 7, flush: async () => undefined });
  const places = { ...settingsOf(published), RECORDS_URL: `sqlite:${folder}/records.db` };
  const ports = { PORT: '0', METRICS_PORT: '0', DRAIN_SECONDS: '0' };
  const often = { STORE_REFRESH_SECONDS: String(REFRESH_SECONDS) };
  const gateway = await startGateway(readConfig({ ...places, ...ports, ...often, ...more }), log, clock);
  onTestFinished(() => gateway.stop());
  return { ...gateway, log, lines };
}

const UNSTABLE = /^(\S+_seconds_bucket\{le="[\d.]+"\S*|\S+_cache_bytes|sightline_connections) \S+$/;
/** A sum that is no longer than a test may take. Of milliseconds it would be longer. */
const SOME_SECONDS = /^(\S+_seconds_sum(?:\{\S+\})?) (?:[0-5]?\d(?:\.\d+)?|\d\S*e-\d+)$/;

/** Our metrics but for those of every Node program, and times and bytes, which differ from run to run. */
function stableMetrics(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !/sightline_(?:process|nodejs)_/.test(line))
    .map((line) => line.replace(UNSTABLE, '$1 N').replace(SOME_SECONDS, '$1 N'));
}

/** The gateway looks at its log again. */
async function refresh(isDone: () => Promise<boolean>): Promise<void> {
  vi.advanceTimersByTime(REFRESH_SECONDS * 1000);
  await until(isDone);
}

test('health, readiness, metrics and log are golden/operations.txt and golden/log.jsonl, through outages and newer weeks', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = manualClock('2026-11-17T06:00:10Z');
  const records = openRecords(folder);
  await setPlan(records, workspaceId, 'agency', 20);
  await setPlan(records, otherWorkspaceId, 'starter', null);
  await setPlan(records, unpublishedId, 'agency', null);
  const ids = [workspaceId, otherWorkspaceId, unpublishedId];
  const [key, planless, unpublished] = await Promise.all(ids.map(async (id) => await createKey(records, id)));
  await records.close();
  using database = new DatabaseSync(join(folder, 'records.db'));
  const { url, operationsUrl, lines, log } = await start(clock);
  const get = async (path: string, ...headers: string[]) =>
    await ask(url, path, { headers: headers.length > 0 ? headers : bearer(key!) });
  const verbose = async () => (await ask(operationsUrl, '/readyz?verbose')).text;
  const store = join(folder, 'store');

  const steps: [what: string, work: () => unknown][] = [
    ['a start', () => undefined],
    [
      'requests',
      async () => {
        for (const path of [visibility, visibility, '/api/v1/week', '/made-up', '/docs']) await get(path);
        for (const path of ['/api/v1/brands/none/sources', '/api/v1/snapshots']) await get(path);
        await get(visibility, 'X-Other', 'no key');
        await get(visibility, ...bearer(planless!));
        await get('/api/v1/week', ...bearer(unpublished!));
        await get(visibility, ...bearer('vis_'));
      },
    ],
    [
      'ten failures of the records',
      async () => {
        database.exec(
          "create trigger full before update on minute_counts begin select raise(abort, 'disk is full'); end",
        );
        for (let n = 0; n < 10; n += 1) await get('/api/v1/brands');
      },
    ],
    [
      'a request that the records admit, and one too many',
      async () => {
        database.exec('drop trigger full; update minute_counts set requests = 19');
        for (let n = 0; n < 2; n += 1) await get('/api/v1/brands');
      },
    ],
    [
      'the loss of the store',
      async () => {
        await rename(store, `${store}-away`);
        await refresh(async () => (await verbose()).includes('missing'));
        clock.set('2026-11-17T06:01:00Z');
        for (const path of ['prompts', 'visibility']) await get(visibility.replace('visibility', path));
      },
    ],
    [
      'its return with a newer week',
      async () => {
        await rename(`${store}-away`, store);
        await publishBrands(published, workspaceId, [acme], '2026-11-17T05:00:00.000Z');
        await refresh(async () => lines.join('').includes('snapshot changed'));
      },
    ],
    ['a week', () => clock.set('2026-11-24T05:00:00Z')],
    ['a second more', () => clock.set('2026-11-24T05:00:01Z')],
    ['a clock that is set back to the snapshot', () => clock.set('2026-11-17T05:00:00Z')],
    ['a clock that is set back further', () => clock.set('2026-11-17T04:59:59Z')],
    [
      'a packet with too many requests',
      async () => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(102));
        await once(socket.resume(), 'close');
      },
    ],
  ];

  const pages: string[] = [];
  let before: string[] = [];
  for (const [what, work] of steps) {
    await work();
    const metrics = stableMetrics((await ask(operationsUrl, '/metrics')).text);
    const ready = await ask(operationsUrl, '/readyz');
    const changed = metrics.filter((line) => !before.includes(line));
    pages.push(`After ${what}:`, `${ready.status} ${ready.text}`, await verbose(), ...changed, '');
    before = metrics;
  }
  for (const path of ['/healthz', '/metric']) {
    const { status, text } = await ask(operationsUrl, path);
    pages.push(`${path}: ${status} ${text}`);
  }
  await log.close();
  const page = `${pages.join('\n')}\n`.replaceAll(folder, 'FOLDER');
  await expect(page).toMatchFileSnapshot(join(import.meta.dirname, 'golden/operations.txt'));
  const logged = lines
    .join('')
    .replaceAll(folder, 'FOLDER')
    .replaceAll(/"time":\d+|"ms":[\d.]+|(?<="requestId":")[\w-]+/g, (text) => text.replace(/[\w.-]+$/, 'X'));
  // How many of the ten failures are left out depends on how long they take.
  const seldom = logged.replaceAll(
    /(?:.*the records did not respond"}\n)+/g,
    'the records did not respond\n',
  );
  await expect(seldom).toMatchFileSnapshot(join(import.meta.dirname, 'golden/log.jsonl'));
});

test('a second gateway on the same machine takes another port for operators, unless the port is set', async () => {
  const both = [await start(undefined, { METRICS_PORT: '' }), await start(undefined, { METRICS_PORT: '' })];
  const [taken, other] = both.map(({ operationsUrl }) => new URL(operationsUrl).port);
  expect(other).not.toBe(taken);
  await expect(start(undefined, { METRICS_PORT: taken! })).rejects.toThrow(
    `METRICS_HOST 127.0.0.1, METRICS_PORT ${taken}: another program listens there`,
  );
});

test('a gateway that stops waits for open connections only up to its limit, and leaves nothing open', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const gateway = await start(undefined, { SHUTDOWN_SECONDS: '1' });
  const halfSent = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  halfSent.on('error', () => undefined);
  halfSent.write('GET /api/v1/brands HTTP/1.1\r\nHost: x\r\nX-Slow');
  await ask(gateway.url, '/openapi.json'); // by now the server has seen the other one
  const closed = once(halfSent.resume(), 'close');
  const [began, intervals] = [performance.now(), vi.getTimerCount()];
  await gateway.stop();
  expect(performance.now() - began).toBeGreaterThan(990);
  expect(await closed).toEqual([expect.any(Boolean)]);
  expect(vi.getTimerCount()).toBe(intervals - 1); // the log's own stays
  await expect(ask(gateway.operationsUrl, '/healthz')).rejects.toThrow('ECONNREFUSED');
});
