import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { newKey, storedForm } from '../../gateway/records/keys.ts';
import { openPostgresRecords } from '../../gateway/records/postgres/records.ts';
import type { WeeklyReport } from '../../jobs/weekly/report/report.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readLog } from '../../snapshots/log/follow.ts';
import { resolveSnapshot } from '../../snapshots/reading/select.ts';
import type { Trust } from '../../snapshots/signing.ts';
import { makeTestKeys } from '../snapshots/history.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startPostgres } from '../support/postgres.ts';
import type { TestPostgres } from '../support/postgres.ts';
import { runProgram } from '../support/program.ts';
import { makeBucket } from '../support/s3-server.ts';
import { restartable, untilServing } from './gateways.ts';
import type { Restartable } from './gateways.ts';
import { startNginx } from './nginx.ts';

/** The as-of times of the two weeks of the rehearsal. */
export const lastWeek = '2026-11-09T12:00:00Z';
export const thisWeek = '2026-11-16T12:00:00Z';

/** For each workspace, the SHA-256 of each document by its path, as the manifest of its current snapshot lists them. */
export type Published = Map<string, { snapshotId: string; documents: Map<string, string> }>;

/** A lake and a store in S3, one database, two gateways, and a load balancer in front of them. */
export interface Stage {
  folder: string;
  store: ObjectStore;
  database: TestPostgres;
  gateways: Restartable[];
  balancerUrl: string;
  /** A key of each workspace. */
  keys: ReadonlyMap<string, string>;
  workspaceIds: string[];
  /** The current snapshots at the beginning: last week. */
  before: Published;
  /** The settings of jobs: S3, and the signing key. */
  jobSettings: Record<string, string>;
  /** `audit verify` with the checkpoint of the time before: how many snapshots are intact. */
  verify: () => Promise<number>;
  published: (store: ObjectStore) => Promise<Published>;
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
  const store = bucket.store('store');
  const STORE_URL = bucket.location('store').url;
  const common: Record<string, string> = {
    ...bucket.environment,
    STORE_URL,
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
  const published = async (of: ObjectStore) => await publishedIn(of, signing.trust, workspaceIds);
  const before = await published(store);

  const RECORDS_URL = await database.createDatabase();
  const records = await openPostgresRecords(RECORDS_URL, { maxWaitMs: 5000, batchesAtOnce: 1 });
  const keys = new Map<string, string>();
  for (const id of workspaceIds) {
    await records.setWorkspace({ id, name: id, plan: 'enterprise', requestsPerMinute: 1_000_000 });
    keys.set(id, newKey());
    await records.createKey(id, storedForm(keys.get(id)!), null);
  }
  await records.close();

  const serving = { ...auditSettings, RECORDS_URL };
  const gateways = [await restartable(serving), await restartable(serving)];
  const balancer = await startNginx(
    join(folder, 'nginx'),
    gateways.map(({ url }) => url),
  );
  onTestFinished(() => balancer.stop());
  const [aKey] = keys.values();
  return {
    folder,
    store,
    database,
    gateways,
    balancerUrl: balancer.url,
    keys,
    workspaceIds,
    before,
    jobSettings,
    verify: async () => {
      const verdict = await run(
        'snapshots/cli.ts',
        ['verify', '--state', join(folder, 'seen')],
        auditSettings,
      );
      return (verdict as { checked: { snapshots: number } }).checked.snapshots;
    },
    published,
    untilServing: async () => {
      for (const { url } of gateways) await untilServing(url, aKey!);
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
