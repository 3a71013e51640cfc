import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newKey, storedForm } from '../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../gateway/records/postgres/records.ts';
import { errorTable } from '../../lib/errors.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { startPostgres } from '../support/postgres.ts';
import type { TestPostgres } from '../support/postgres.ts';
import { acme, publishBrands } from '../gateway/snapshots.ts';
import { ORIGIN, testLog } from '../snapshots/publish.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { until } from '../support/until.ts';
import { restartable } from './gateways.ts';
import type { Restartable } from './gateways.ts';
import { startNginx } from './nginx.ts';
import type { Balancer } from './nginx.ts';

const WORKSPACE = '11111111-1111-4111-8111-111111111111';
const warm = ['/api/v1/brands', `/api/v1/brands/${acme.id}/visibility`];
const cold = `/api/v1/brands/${acme.id}/sources`;

interface Scene {
  storeFolder: string;
  database: TestPostgres;
  gateways: Restartable[];
  balancer: Balancer;
  key: string;
}

/** Two gateways on one store and one database, behind nginx with the example of infra/nginx. */
async function setScene(more: Record<string, string> = {}): Promise<Scene> {
  const folder = await temporaryFolder();
  const log = await testLog(folder);
  const storeFolder = join(folder, 'store');
  await publishBrands(log, WORKSPACE, [acme]);
  const database = await startPostgres();
  onTestFinished(() => database.stop());
  const databaseUrl = await database.createDatabase();
  const records = await openPostgresRecords(databaseUrl, { maxWaitMs: 5000, batchesAtOnce: 1 });
  const key = newKey();
  const plan = { plan: 'enterprise', requestsPerMinute: 1_000_000 };
  await records.setWorkspace({ id: WORKSPACE, name: 'Acme', ...plan });
  await records.createKey(WORKSPACE, storedForm(key), null);
  await records.close();
  const settings = {
    STORE_URL: storeFolder,
    LOG_ORIGIN: ORIGIN,
    PUBLIC_KEY_FILE: log.keys.publicKey,
    RECORDS_URL: databaseUrl,
    STORE_REFRESH_SECONDS: '1',
    ...more,
  };
  const gateways = [await restartable(settings), await restartable(settings)];
  const addresses = gateways.map(({ url }) => url);
  const balancer = await startNginx(join(folder, 'nginx'), addresses);
  onTestFinished(() => balancer.stop());
  for (const url of addresses) for (const path of warm) await ask(url, path, { headers: bearer(key) });
  return { storeFolder, database, gateways, balancer, key };
}

/** Sends requests for each path through nginx; expects that all get a response and every ready gateway gets some. */
async function askThrough({ balancer, gateways, key }: Scene, paths: readonly string[]) {
  const counts = () => Promise.all(gateways.map((gateway) => gateway.requests()));
  const before = await counts();
  const sent = Array.from({ length: 20 }, () => paths).flat();
  const answers = [];
  for (const path of sent) answers.push(await ask(balancer.url, path, { headers: bearer(key) }));
  const own = async () => (await counts()).map((count, index) => count - before[index]!);
  await until(async () => sum(await own()) >= sent.length); // counted after the response is sent
  expect(sum(await own())).toBe(sent.length);
  for (const responses of await own()) expect(responses).toBeGreaterThan(0);
  for (const gateway of gateways) expect((await ask(gateway.operationsUrl, '/readyz')).status).toBe(200);
  return answers;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** True once the gateway has noticed that its store is missing. */
async function isMissingItsStore({ operationsUrl }: Restartable): Promise<boolean> {
  const { text } = await ask(operationsUrl, '/metrics');
  return text.includes('sightline_workspaces{state="kept"} 1');
}

const statusesOf = (answers: readonly { status: number }[]) => [
  ...new Set(answers.map(({ status }) => status)),
];

function expectInternal(answers: readonly Awaited<ReturnType<typeof ask>>[]): void {
  expect(statusesOf(answers)).toEqual([500]);
  const { message } = errorTable.internal;
  for (const { text } of answers) expect(JSON.parse(text)).toEqual({ error: { code: 'internal', message } });
}

describeWith(['nginx'], 'two gateways behind nginx', () => {
  test('are replaced one after the other, and no request fails', async () => {
    const { gateways, balancer, key } = await setScene({ DRAIN_SECONDS: '' }); // the default
    const statuses: number[] = [];
    const done = new AbortController();
    const client = async () => {
      while (!done.signal.aborted) {
        const { status } = await ask(balancer.url, warm[0]!, { headers: bearer(key) });
        statuses.push(status);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    for (const gateway of gateways) await gateway.replace();
    const enough = statuses.length + 100;
    await until(() => statuses.length > enough);
    done.abort();
    await Promise.all(clients);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
});

describeWith(['nginx'], 'two gateways behind nginx stay in the balancer', () => {
  test('without their store, and serve what they have in memory; then without their database', async () => {
    const scene = await setScene();
    const { storeFolder, database, gateways, balancer, key } = scene;
    expect(statusesOf(await askThrough(scene, warm))).toEqual([200]);

    await rename(storeFolder, `${storeFolder}-away`);
    await until(async () => (await Promise.all(gateways.map(isMissingItsStore))).every(Boolean));
    expect(statusesOf(await askThrough(scene, warm))).toEqual([200]);
    expectInternal(await askThrough(scene, [cold]));
    await rename(`${storeFolder}-away`, storeFolder);
    expect(statusesOf(await askThrough(scene, [...warm, cold]))).toEqual([200]);

    process.kill(database.pid(), 'SIGKILL');
    for (const { url } of gateways)
      await until(async () => (await ask(url, warm[0]!, { headers: bearer(key) })).status === 500);
    expectInternal(await askThrough(scene, warm));
    await database.restart();
    for (const { url } of gateways)
      await until(async () => (await ask(url, warm[0]!, { headers: bearer(key) })).status === 200);
    expect(statusesOf(await askThrough(scene, [...warm, cold]))).toEqual([200]);
    expect(await balancer.log()).not.toMatch(/disabled|no live upstreams/);
  });
});
