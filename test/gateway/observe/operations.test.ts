import { rename } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics } from '../../../gateway/observe/metrics.ts';
import type { Metrics } from '../../../gateway/observe/metrics.ts';
import { both } from '../../../gateway/observe/observer.ts';
import { buildOperations } from '../../../gateway/observe/operations.ts';
import { ask, bearer } from '../ask.ts';
import { manualClock } from '../clock.ts';
import { startListeningGateway, workspaceId } from '../gateway.ts';
import type { ListeningGateway } from '../gateway.ts';
import { acme, publishBrands } from '../snapshots.ts';

const now = '2026-11-17T06:00:00.000Z';
const clock = manualClock(now);
let gateway: ListeningGateway;
let metrics: Metrics;
let base: string;
let key: string;

beforeEach(async () => {
  clock.set(now);
  metrics = createMetrics();
  gateway = await startListeningGateway(clock, {
    observe: (observer) => both(observer, metrics.observer),
  });
  metrics.watch({
    documents: () => gateway.documents.status(),
    waiting: () => 0,
    connections: async () => 3,
    clock,
    dependencies,
    droppedLogLines: () => 7,
  });
  ({ base, key } = gateway);
});
afterEach(() => gateway.close());

const dependencies = async () => {
  const trouble = gateway.documents.trouble();
  return { store: trouble && trouble.message, records: null };
};

/** The value of a metric line, or null. */
async function valueOf(line: string): Promise<number | null> {
  const found = (await metrics.text()).split('\n').find((text) => text.startsWith(`${line} `));
  return found === undefined ? null : Number(found.slice(line.length + 1));
}

describe('metrics', () => {
  test('count requests by operation and status, with their time, without labels that a client can choose', async () => {
    const visibility = `/api/v1/brands/${acme.id}/visibility`;
    for (const path of [visibility, visibility, '/made-up', `/api/v1/brands/${'a'.repeat(50)}/sources`]) {
      await ask(base, path, { headers: bearer(key) });
    }
    await ask(base, visibility);
    expect(await valueOf('sightline_requests_total{route="getVisibility",status="200"}')).toBe(2);
    expect(await valueOf('sightline_requests_total{route="getVisibility",status="401"}')).toBe(1);
    expect(await valueOf('sightline_requests_total{route="getSources",status="404"}')).toBe(1);
    expect(await valueOf('sightline_requests_total{route="none",status="404"}')).toBe(1);
    expect(await valueOf('sightline_request_seconds_count{route="getVisibility"}')).toBe(3);
    expect(await valueOf('sightline_request_seconds_sum{route="getVisibility"}')).toBeGreaterThan(0);
    expect(await metrics.text()).not.toContain('made-up');
    expect(await metrics.text()).not.toContain(workspaceId);
    expect(await valueOf('sightline_log_lines_dropped_total')).toBe(7);
  });

  test('include cache and snapshots, and that a newer one cannot be read, until it can', async () => {
    await ask(base, '/api/v1/brands', { headers: bearer(key) });
    await ask(base, '/api/v1/brands', { headers: bearer(key) });
    expect(await valueOf('sightline_admission_batch_requests_count')).toBe(2);
    expect(await valueOf('sightline_document_cache_total{outcome="miss"}')).toBe(1);
    expect(await valueOf('sightline_document_cache_total{outcome="hit"}')).toBe(1);
    expect(await valueOf('sightline_document_cache_bytes')).toBeGreaterThan(100);
    expect(await valueOf('sightline_workspaces{state="current"}')).toBe(1);
    expect(await valueOf('sightline_snapshot_age_seconds{state="current"}')).toBe(24 * 3600);
    expect(await valueOf('sightline_snapshot_age_seconds{state="kept"}')).toBeNull();
    await rename(gateway.storeFolder, `${gateway.storeFolder}-away`);
    await gateway.documents.refresh();
    expect(await valueOf('sightline_snapshot_refusals_total')).toBe(1);
    expect(await valueOf('sightline_workspaces{state="kept"}')).toBe(1);
    expect(await valueOf('sightline_snapshot_age_seconds{state="kept"}')).toBe(24 * 3600);
    await rename(`${gateway.storeFolder}-away`, gateway.storeFolder);
    await publishBrands(gateway.log, workspaceId, [acme], '2026-11-17T05:00:00.000Z');
    await gateway.documents.refresh();
    expect(await valueOf('sightline_workspaces{state="kept"}')).toBe(0);
    expect(await valueOf('sightline_snapshot_changes_total')).toBe(1);
    expect(await valueOf('sightline_snapshot_age_seconds{state="current"}')).toBe(3600);
  });

  test('name each workspace whose snapshot is older than a week or from the future', async () => {
    await ask(base, '/api/v1/brands', { headers: bearer(key) });
    clock.set('2026-11-23T06:00:00.000Z');
    expect(await metrics.text()).not.toContain(workspaceId);
    clock.set('2026-11-23T06:00:01.000Z');
    const line = `sightline_old_snapshot_age_seconds{workspace="${workspaceId}"}`;
    expect(await valueOf(line)).toBe(7 * 86_400 + 1);
    await publishBrands(gateway.log, workspaceId, [acme], '2026-11-23T06:00:00.000Z');
    await gateway.documents.refresh();
    expect(await valueOf(line)).toBeNull();
    clock.set('2026-11-23T05:59:59.000Z');
    expect(await valueOf(line)).toBe(-1);
  });

  test('count batches without a response of the database', async () => {
    await gateway.records.close();
    expect((await ask(base, '/api/v1/brands', { headers: bearer(key) })).status).toBe(500);
    expect(await valueOf('sightline_admission_failures_total')).toBe(1);
    gateway.records.close = async () => undefined;
  });
});

const operationsOf = (isStopping = false) =>
  buildOperations({ metrics, isStopping: () => isStopping, hasHead: () => true, dependencies });

describe('health and readiness', () => {
  test('a gateway stays ready during an outage of its store, which ?verbose and metrics show', async () => {
    await gateway.documents.refresh();
    const operations = operationsOf();
    const verbose = async () => (await operations.inject('/readyz?verbose')).json<object>();
    expect(await verbose()).toEqual({ status: 'ready', store: 'ok', records: 'ok' });
    expect(await valueOf('sightline_dependency_up{dependency="store"}')).toBe(1);
    await rename(gateway.storeFolder, `${gateway.storeFolder}-away`);
    expect(await verbose()).toMatchObject({ store: 'ok' }); // a scrape asks the store nothing
    await gateway.documents.refresh();
    const ready = await operations.inject('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ready' }]);
    expect(await verbose()).toEqual({
      status: 'ready',
      store: expect.stringMatching(/log\/checkpoint is missing/) as string,
      records: 'ok',
    });
    expect(await valueOf('sightline_dependency_up{dependency="store"}')).toBe(0);
    expect(await valueOf('sightline_dependency_up{dependency="records"}')).toBe(1);
    expect((await operations.inject('/healthz')).statusCode).toBe(200);
    await rename(`${gateway.storeFolder}-away`, gateway.storeFolder);
    await gateway.documents.refresh();
    expect(await valueOf('sightline_dependency_up{dependency="store"}')).toBe(1);
    await operations.close();
  });

  test('a gateway that is stopping is not ready, and serves metrics in the format of Prometheus', async () => {
    const operations = operationsOf(true);
    const ready = await operations.inject('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([503, { status: 'stopping' }]);
    expect((await operations.inject('/metric')).statusCode).toBe(404);
    const answer = await operations.inject('/metrics');
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.body).toMatch(/^sightline_process_resident_memory_bytes \d+/m);
    await operations.close();
  });
});
