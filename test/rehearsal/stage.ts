import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openPostgresRecords } from '../../gateway/records/postgres/records.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { startPostgres } from '../support/postgres.ts';
import type { TestPostgres } from '../support/postgres.ts';
import type { Trust } from '../../snapshots/signing.ts';
import { makeTestKeys } from '../snapshots/history.ts';
import { temporaryFolder } from '../support/folder.ts';
import { makeBucket } from '../support/s3-server.ts';
import type { TestBucket } from '../support/s3-server.ts';
import { makeClients } from './clients.ts';
import type { Clients } from './clients.ts';
import { isServing, restartable } from './gateways.ts';
import type { Restartable } from './gateways.ts';
import { runJob } from './jobs.ts';
import { withholdNewestWeek } from './late-data.ts';
import { startNginx } from './nginx.ts';
import { publishedIn } from './published.ts';
import type { Published } from './published.ts';
import { faultProxy } from '../support/fault-proxy.ts';
import { freePort } from '../support/free-port.ts';

/** The as-of times of the two weeks of the rehearsal. */
export const lastWeek = '2026-11-09T12:00:00Z';
export const thisWeek = '2026-11-16T12:00:00Z';

/** A lake and a store in S3, one database, two gateways, and a load balancer in front of them. */
export interface Stage {
  folder: string;
  bucket: TestBucket;
  store: ObjectStore;
  storeUrl: string;
  lakeUrl: string;
  /** While true, the gateways cannot reach the S3 server. */
  storeOfGateways: { isAway: boolean };
  /** One workspace has no runs of this week yet; they are in this drop. */
  late: { workspaceId: string; lateDrop: string };
  database: TestPostgres;
  gateways: [Restartable, Restartable];
  balancerUrl: string;
  clients: Clients;
  workspaceIds: string[];
  /** The current snapshots at the beginning: last week. */
  before: Published;
  /** The settings of jobs: S3, and the signing key. */
  jobSettings: Record<string, string>;
  trust: Trust;
  /** The settings of auditors: S3, the name of the log, and the trusted key. */
  auditSettings: Record<string, string>;
  /** The arguments that publish a week into a store. */
  weekly(asOf: string, storeUrl: string): string[];
  /** Resolves when both gateways respond. */
  untilServing(): Promise<void>;
}

/** @param allowance requests per minute of the limited workspace */
export async function setStage(allowance: number): Promise<Stage> {
  const folder = await temporaryFolder();
  const bucket = await makeBucket();
  onTestFinished(() => bucket.remove());
  const database = await startPostgres();
  onTestFinished(() => database.stop());
  const keys = await makeTestKeys(folder, 'rehearsal');
  const store = bucket.store('store');
  const storeUrl = bucket.location('store').url;
  const lakeUrl = bucket.location('lake').url;
  const common = { ...bucket.environment, LOG_ORIGIN: 'rehearsal.example/log' };
  const jobSettings = { ...common, SIGNING_KEY_FILE: keys.privateKey };
  const auditSettings = { ...common, PUBLIC_KEY_FILE: keys.publicKey };
  const weekly: Stage['weekly'] = (asOf, to) => {
    const at = ['--lake', lakeUrl, '--store', to, '--as-of', asOf];
    return ['weekly', ...at, '--require-complete', '90'];
  };

  const late = await fillLake(join(folder, 'drop'), lakeUrl, jobSettings);
  const { snapshots } = (await runJob('jobs/cli.ts', weekly(lastWeek, storeUrl), jobSettings)) as Report;
  const workspaceIds = snapshots.map(({ workspaceId }) => workspaceId);
  const before = await publishedIn(store, keys.trust, workspaceIds);

  const databaseUrl = await database.createDatabase();
  const records = await openPostgresRecords(databaseUrl, { maxWaitMs: 5000, batchesAtOnce: 1 });
  const clients = await makeClients(records, before, allowance);
  await records.close();
  const serving = { ...auditSettings, STORE_URL: storeUrl, RECORDS_URL: databaseUrl };
  const { storeOfGateways, gateways, balancer } = await startServing(folder, serving);
  const [aKey] = clients.keys.values();
  const untilServing = async () => {
    for (const { url } of gateways) {
      for (let inARow = 0; inARow < 10;) inARow = (await isServing(url, aKey!)) ? inARow + 1 : 0;
    }
  };
  await untilServing();
  return {
    balancerUrl: balancer.url,
    folder,
    bucket,
    store,
    storeUrl,
    lakeUrl,
    storeOfGateways,
    late,
    database,
    gateways,
    clients,
    workspaceIds,
    before,
    jobSettings,
    trust: keys.trust,
    auditSettings,
    weekly,
    untilServing,
  };
}

/** Two gateways behind nginx, which reach the store by a separate address. */
async function startServing(folder: string, settings: Record<string, string>) {
  const storeOfGateways = { isAway: false };
  const proxy = await faultProxy(settings['S3_ENDPOINT']!, () => (storeOfGateways.isAway ? 'lost' : null));
  onTestFinished(() => proxy.close());
  const serving = { ...settings, S3_ENDPOINT: proxy.endpoint };
  const gateways: Stage['gateways'] = [await startGateway(serving), await startGateway(serving)];
  const addresses = gateways.map(({ url }) => url);
  const balancer = await startNginx(join(folder, 'nginx'), addresses);
  onTestFinished(() => balancer.stop());
  return { storeOfGateways, gateways, balancer };
}

interface Report {
  snapshots: { workspaceId: string }[];
}

/** Everything but the newest week of one workspace. */
async function fillLake(
  drop: string,
  lake: string,
  settings: Record<string, string>,
): Promise<Stage['late']> {
  const sizes = ['--workspaces', '12', '--brands', '24', '--prompts', '2', '--cycles', '4'];
  await runJob('jobs/cli.ts', ['demo', '--to', drop, ...sizes, '--as-of', thisWeek], {});
  const late = await withholdNewestWeek(drop);
  const ingest = ['ingest', '--from', drop, '--lake', lake, '--date', '2026-10-01'];
  await runJob('jobs/cli.ts', ingest, settings);
  return late;
}

async function startGateway(settings: Record<string, string>): Promise<Restartable> {
  return await restartable({
    ...settings,
    STORE_REFRESH_SECONDS: '1',
    DRAIN_SECONDS: '', // the default
    PORT: String(await freePort()),
  });
}
