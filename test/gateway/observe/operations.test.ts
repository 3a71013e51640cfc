import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AdmissionQueue } from '../../../gateway/admission/admission.ts';
import { FAILED } from '../../../gateway/admission/allowance.ts';
import { buildOperations } from '../../../gateway/observe/operations.ts';
import { UNKNOWN_KEY } from '../../../gateway/records/standing.ts';
import { testLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { ask, bearer } from '../ask.ts';
import { manualClock } from '../clock.ts';
import { startListeningGateway, workspaceId } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { acme, publishBrands } from '../snapshots.ts';

const now = '2026-11-17T06:00:00.000Z';
const clock = manualClock(now);
let gateway: ListeningGateway;
let store: string;

beforeEach(async () => {
  clock.set(now);
  const log = await testLog(await temporaryFolder());
  store = join(log.root, 'store');
  gateway = await startListeningGateway(clock, { log });
  const { documents, metrics } = gateway;
  metrics.watch({
    documents: () => documents.status(),
    waiting: () => 0,
    connections: async () => 3,
    clock,
    dependencies,
    droppedLogLines: () => 7,
  });
});
afterEach(() => gateway.close());

const dependencies = async () => {
  const trouble = gateway.documents.trouble();
  return { store: trouble && trouble.message, records: null };
};

/** The value of a metric line, or null. */
async function valueOf(line: string): Promise<number | null> {
  const found = (await gateway.metrics.text()).split('\n').find((text) => text.startsWith(`${line} `));
  return found === undefined ? null : Number(found.slice(line.length + 1));
}

const visibility = `/api/v1/brands/${acme.id}/visibility`;
const get = async (path: string) => await ask(gateway.base, path, { headers: bearer(gateway.key) });
const publishAt = async (asOf: string) => {
  await publishBrands(gateway.log, workspaceId, [acme], asOf);
  await gateway.documents.refresh();
};

describe('metrics', () => {
  test('count requests by operation and status, with their time, without labels that a client can choose', async () => {
    for (const path of [visibility, visibility, '/made-up', `/api/v1/brands/${'a'.repeat(50)}/sources`])
      await get(path);
    await ask(gateway.base, visibility);
    for (const [labels, count] of [
      ['route="getVisibility",status="200"', 2],
      ['route="getVisibility",status="401"', 1],
      ['route="getSources",status="404"', 1],
      ['route="none",status="404"', 1],
    ])
      expect([labels, await valueOf(`sightline_requests_total{${labels}}`)]).toEqual([labels, count]);
    expect(await valueOf('sightline_request_seconds_count{route="getVisibility"}')).toBe(3);
    expect(await valueOf('sightline_request_seconds_sum{route="getVisibility"}')).toBeGreaterThan(0);
    expect(await gateway.metrics.text()).not.toContain('made-up');
    expect(await gateway.metrics.text()).not.toContain(workspaceId);
    expect(await valueOf('sightline_log_lines_dropped_total')).toBe(7);
  });

  test('include cache and snapshots, and that a newer one cannot be read, until it can', async () => {
    for (let n = 0; n < 2; n++) await get('/api/v1/brands');
    expect(await valueOf('sightline_admission_batch_requests_count')).toBe(2);
    vi.spyOn(gateway.records, 'admit').mockRejectedValueOnce(new Error('it is away'));
    expect((await get('/api/v1/brands')).status).toBe(500);
    expect(await valueOf('sightline_admission_failures_total')).toBe(1);
    expect(await valueOf('sightline_document_cache_total{outcome="miss"}')).toBe(1);
    expect(await valueOf('sightline_document_cache_total{outcome="hit"}')).toBe(1);
    expect(await valueOf('sightline_document_cache_bytes')).toBeGreaterThan(100);
    expect(await valueOf('sightline_workspaces{state="current"}')).toBe(1);
    expect(await valueOf('sightline_snapshot_age_seconds{state="current"}')).toBe(24 * 3600);
    await rename(store, `${store}-away`);
    await gateway.documents.refresh();
    expect(await valueOf('sightline_snapshot_refusals_total')).toBe(1);
    expect(await valueOf('sightline_workspaces{state="kept"}')).toBe(1);
    expect(await valueOf('sightline_snapshot_age_seconds{state="kept"}')).toBe(24 * 3600);
    await rename(`${store}-away`, store);
    await publishAt('2026-11-17T05:00:00.000Z');
    expect(await valueOf('sightline_workspaces{state="kept"}')).toBe(0);
    expect(await valueOf('sightline_snapshot_age_seconds{state="kept"}')).toBeNull();
    expect(await valueOf('sightline_snapshot_changes_total')).toBe(1);
    expect(await valueOf('sightline_snapshot_age_seconds{state="current"}')).toBe(3600);
  });

  test('name each workspace whose snapshot is older than a week or from the future', async () => {
    await get('/api/v1/brands');
    const line = `sightline_old_snapshot_age_seconds{workspace="${workspaceId}"}`;
    clock.set('2026-11-23T06:00:00.000Z');
    expect(await valueOf(line)).toBeNull();
    clock.set('2026-11-23T06:00:01.000Z');
    expect(await valueOf(line)).toBe(7 * 86_400 + 1);
    await publishAt('2026-11-23T06:00:00.000Z');
    expect(await valueOf(line)).toBeNull();
    clock.set('2026-11-23T05:59:59.000Z');
    expect(await valueOf(line)).toBe(-1);
  });
});

test('ten failed admissions in a row are reported, also if the records answer a ping, until one succeeds', async () => {
  let isFull = true;
  const records = {
    admit: () => {
      if (isFull) throw new Error('database or disk is full');
      return [UNKNOWN_KEY];
    },
  };
  const errors: string[] = [];
  const admissionFailed = (error: unknown) => void errors.push(String(error));
  const observer = { batchAnswered: () => undefined, admissionFailed };
  const limits = { batchesAtOnce: 1, longestQueue: 100, maxWaitMs: 60_000 };
  const queue = new AdmissionQueue(records, { ...limits, observer });
  for (let n = 0; n < 9; n += 1) expect(await queue.admit('a')).toBe(FAILED);
  queue.demandAdmissions();
  await queue.admit('a');
  const reason = 'the last 10 admissions have failed: database or disk is full';
  expect(() => queue.demandAdmissions()).toThrow(reason);
  expect(errors).toEqual(Array(10).fill('Error: database or disk is full'));
  isFull = false;
  await queue.admit('a');
  queue.demandAdmissions();
});

test('a gateway stays ready during an outage of its store, which ?verbose and metrics show, until it stops', async () => {
  let isStopping = false;
  const operations = buildOperations({
    metrics: gateway.metrics,
    isStopping: () => isStopping,
    hasHead: () => gateway.documents.hasHead(),
    dependencies,
  });
  const verbose = async () => (await operations.inject('/readyz?verbose')).json<object>();
  const readiness = async () => {
    const ready = await operations.inject('/readyz');
    return [ready.statusCode, ready.json()];
  };
  expect(await readiness()).toEqual([503, { status: 'waiting' }]);
  await gateway.documents.refresh();
  expect(await verbose()).toEqual({ status: 'ready', store: 'ok', records: 'ok' });
  expect(await valueOf('sightline_dependency_up{dependency="store"}')).toBe(1);
  await rename(store, `${store}-away`);
  expect(await verbose()).toMatchObject({ store: 'ok' }); // a scrape asks the store nothing
  await gateway.documents.refresh();
  expect(await readiness()).toEqual([200, { status: 'ready' }]);
  const missing = expect.stringMatching(/log\/checkpoint is missing/) as string;
  expect(await verbose()).toEqual({ status: 'ready', store: missing, records: 'ok' });
  expect(await valueOf('sightline_dependency_up{dependency="store"}')).toBe(0);
  isStopping = true;
  expect(await readiness()).toEqual([503, { status: 'stopping' }]);
  expect((await operations.inject('/healthz')).statusCode).toBe(200);
  expect((await operations.inject('/metric')).statusCode).toBe(404);
  const scraped = await operations.inject('/metrics');
  expect(scraped.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(scraped.body).toMatch(/^sightline_process_resident_memory_bytes \d+/m);
  await operations.close();
});
