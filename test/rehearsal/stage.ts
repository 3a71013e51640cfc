import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { newKey, storedForm } from '../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../gateway/records/postgres/records.ts';
import type { WeeklyReport } from '../../jobs/weekly/report/report.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readLog } from '../../snapshots/log/follow.ts';
import { resolveSnapshot } from '../../snapshots/reading/select.ts';
import type { Trust } from '../../snapshots/signing.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { makeTestKeys } from '../snapshots/history.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { startPostgres } from '../support/postgres.ts';
import type { TestPostgres } from '../support/postgres.ts';
import { runProgram, startGatewayProcess } from '../support/program.ts';
import { makeBucket } from '../support/s3-server.ts';
import { until } from '../support/until.ts';
import type { Published } from './load.ts';
import { startNginx } from './nginx.ts';

/** The as-of times of the two weeks of the rehearsal. */
const lastWeek = '2026-11-09T12:00:00Z';
export const thisWeek = '2026-11-16T12:00:00Z';

/** A lake and a store in S3, one database, two gateways, and a load balancer in front of them. */
export interface Stage {
  database: TestPostgres;
  gateways: Restartable[];
  balancerUrl: string;
  /** A key of each workspace. */
  keys: ReadonlyMap<string, string>;
  /** The settings of jobs: S3, and the signing key. */
  jobSettings: Record<string, string>;
  /** `audit verify` with the checkpoint of the time before: how many snapshots are intact. */
  verify: () => Promise<number>;
  /** The current snapshots; at the beginning those of last week. */
  published: () => Promise<Published>;
  /** Resolves when both gateways respond. */
  untilServing: () => Promise<void>;
}

export async function setStage(): Promise<Stage> {
  const folder = await temporaryFolder();
  const bucket = await makeBucket();
  onTestFinished(() => bucket.remove());
  const database = await startPostgres();
  onTestFinished(() => database.stop());
  const signing = await makeTestKeys(folder, 'rehearsal');
  const common: Record<string, string> = {
    ...bucket.environment,
    STORE_URL: bucket.location('store').url,
    LOG_ORIGIN: 'rehearsal.example/log',
  };
  const LAKE_URL = bucket.location('lake').url;
  const jobSettings = { ...common, LAKE_URL, SIGNING_KEY_FILE: signing.privateKey };
  const auditSettings = { ...common, PUBLIC_KEY_FILE: signing.publicKey };

  const drop = join(folder, 'drop');
  const size = ['--workspaces', '6', '--brands', '12', '--prompts', '2', '--cycles', '3'];
  await run('jobs/cli.ts', ['demo', '--to', drop, ...size, '--as-of', thisWeek], {});
  await run('jobs/cli.ts', ['ingest', '--from', drop, '--date', '2026-10-01'], jobSettings);
  const workspaceIds = await publishWeek(lastWeek, jobSettings);
  const RECORDS_URL = await database.createDatabase();
  const keys = await keysOf(workspaceIds, RECORDS_URL);

  const serving = { ...auditSettings, RECORDS_URL };
  const gateways = [await restartable(serving), await restartable(serving)];
  const urls = gateways.map(({ url }) => url);
  const balancer = await startNginx(join(folder, 'nginx'), urls);
  onTestFinished(() => balancer.stop());
  const [aKey] = keys.values();
  return {
    database,
    gateways,
    balancerUrl: balancer.url,
    keys,
    jobSettings,
    verify: async () => {
      const args = ['verify', '--state', join(folder, 'seen')];
      const verdict = await run('snapshots/cli.ts', args, auditSettings);
      return (verdict as { checked: { snapshots: number } }).checked.snapshots;
    },
    published: async () => await publishedIn(bucket.store('store'), signing.trust, workspaceIds),
    untilServing: async () => {
      for (const url of urls) await untilServing(url, aKey!);
    },
  };
}

/** The JSON output of a command that succeeds. */
async function run(
  program: string,
  args: readonly string[],
  settings: Record<string, string>,
): Promise<unknown> {
  const ended = await runProgram(program, [...args, '--json'], settings);
  expect(ended).toMatchObject({ status: 0 });
  return JSON.parse(ended.stdout);
}

/** Publishes a week. @returns the workspaces */
export async function publishWeek(
  asOf: string,
  settings: Record<string, string>,
  ...more: string[]
): Promise<string[]> {
  const report = (await run('jobs/cli.ts', ['weekly', '--as-of', asOf, ...more], settings)) as WeeklyReport;
  return report.snapshots.map(({ workspaceId }) => workspaceId);
}

/** Makes records in PostgreSQL, with a key of each workspace. */
async function keysOf(workspaceIds: readonly string[], url: string): Promise<Map<string, string>> {
  const records = await openPostgresRecords(url, { maxWaitMs: 5000, batchesAtOnce: 1 });
  const keys = new Map<string, string>();
  for (const id of workspaceIds) {
    await records.setWorkspace({ id, name: id, plan: 'enterprise', requestsPerMinute: 1_000_000 });
    keys.set(id, newKey());
    await records.createKey(id, storedForm(keys.get(id)!), null);
  }
  await records.close();
  return keys;
}

interface Restartable {
  url: string;
  /** Resolves with the exit status; null if it was killed. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  start(): Promise<void>;
}

/** A gateway that is restarted on the same port. */
async function restartable(settings: Record<string, string>): Promise<Restartable> {
  const PORT = String(await freePort());
  const fixed = { ...settings, STORE_REFRESH_SECONDS: '1', DRAIN_SECONDS: '', PORT };
  let running = await startGatewayProcess(fixed);
  const end = async (signal: NodeJS.Signals) => {
    running.child.kill(signal);
    return await running.ended;
  };
  onTestFinished(async () => void (await end('SIGKILL')));
  return {
    url: running.url,
    end,
    start: async () => {
      running = await startGatewayProcess(fixed);
    },
  };
}

/** Waits until a gateway responds to ten requests in a row, of which each may open another connection to the database. */
async function untilServing(url: string, key: string): Promise<void> {
  let inARow = 0;
  const isServing = async () => {
    const answer = await ask(url, '/api/v1/brands', { headers: bearer(key) }).catch(() => null);
    inARow = answer?.status === 200 ? inARow + 1 : 0;
    return inARow === 10;
  };
  await until(isServing, 'the gateway serves');
}

async function publishedIn(
  store: ObjectStore,
  trust: Trust,
  workspaceIds: readonly string[],
): Promise<Published> {
  const log = await readLog(store, { origin: null, trust });
  const published: Published = new Map();
  for (const id of workspaceIds) {
    const { snapshotId, documents } = (await resolveSnapshot({ store, log: log! }, id, 'current')).manifest;
    published.set(id, {
      snapshotId,
      documents: new Map(documents.map((document) => [document.path, document.sha256])),
    });
  }
  return published;
}
