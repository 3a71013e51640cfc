import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WeeklyReport } from '../../jobs/weekly/report/report.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { describeWith } from '../support/requires.ts';
import { describeS3 } from '../support/s3-server.ts';
import { untilCurrent } from './gateways.ts';
import { runJob } from './jobs.ts';
import { judge, minutesOf } from './judge.ts';
import type { Outage } from './judge.ts';
import { startLoad } from './load.ts';
import type { Load } from './load.ts';
import { documentsIn, publishedIn } from './published.ts';
import type { Published } from './published.ts';
import { publishInShards } from './shards.ts';
import type { Shard } from './shards.ts';
import { lastWeek, setStage, thisWeek } from './stage.ts';
import type { Stage } from './stage.ts';
import { takeStoreAway, warmUp } from './store-away.ts';

const REQUESTS_PER_SECOND = 120;
/** The allowance of one workspace per minute; it sends ten times as many requests. */
const ALLOWANCE = 60;

describeWith(['nginx'], 'behind nginx', () => {
  describeS3('on S3', () => {
    test('a week is published in shards under load, while gateway, shard, database and store die in turn; then the gateways are replaced, and no request fails', async () => {
      const stage = await setStage(ALLOWANCE);
      const workspaces = stage.workspaceIds.length;
      expect(await verify(stage)).toMatchObject({ isIntact: true, checked: { snapshots: workspaces } });
      let warmOnly = false;
      const load = startLoad(stage.balancerUrl, REQUESTS_PER_SECOND, () => stage.clients.next(warmOnly));
      const { outages, databaseKilledAt, shards } = await publishAndKill(stage, load);
      expectOneHeldBack(stage, shards);
      const after = await untilServed(stage);
      await warmUp(stage, after);
      await takeStoreAway(stage, load, REQUESTS_PER_SECOND, (value) => (warmOnly = value));
      await publishLateWorkspace(stage);
      const complete = await untilServed(stage);
      for (const gateway of stage.gateways) await gateway.replace();
      await load.more(2 * REQUESTS_PER_SECOND);
      await load.stop();

      // Neither the outage of the store nor the replacement explains an error.
      const verdict = judge(load.outcomes, [stage.before, after, complete], outages);
      expect(verdict).toMatchObject({ wrong: [], unexplained: [] });
      for (const documents of verdict.served) expect(documents).toBeGreaterThan(0);
      expect([...verdict.statuses]).toEqual(expect.arrayContaining([200, 304, 401, 402, 404, 429]));
      const minutes = minutesOf(load.outcomes, databaseKilledAt);
      expect(minutes.filter(({ given, forgiven }) => given > ALLOWANCE + forgiven)).toEqual([]);
      await expectNothingLost(stage);
      expect(await verify(stage)).toMatchObject({ isIntact: true, checked: { snapshots: 2 * workspaces } });
    });
  });
});

/** The nightly work of an operator's timer: verify with the checkpoint of the night before. */
async function verify(stage: Stage): Promise<unknown> {
  const args = ['verify', '--store', stage.storeUrl, '--state', join(stage.folder, 'seen')];
  return await runJob('snapshots/cli.ts', args, stage.auditSettings);
}

/** Publishes the week while one part after the other is killed and restarted. */
async function publishAndKill(stage: Stage, load: Load) {
  const outages: Outage[] = [];
  const outage = async (work: () => Promise<void>) => {
    const from = Date.now();
    await work();
    await stage.untilServing();
    outages.push({ from, to: Date.now() });
    return from;
  };
  await load.more(2 * REQUESTS_PER_SECOND);
  const shards = await publishInShards(stage);
  await outage(async () => {
    const [gateway] = stage.gateways;
    await gateway.kill();
    await load.more(2 * REQUESTS_PER_SECOND);
    await gateway.start();
  });
  expect(await shards.doomed).toMatchObject({ how: 'SIGKILL' });
  const databaseKilledAt = await outage(async () => {
    process.kill(stage.database.pid(), 'SIGKILL');
    await load.more(REQUESTS_PER_SECOND);
    await stage.database.restart();
  });
  return { outages, databaseKilledAt, shards: await shards.complete() };
}

/** A workspace with an incomplete week keeps last week; its shard reports it, and all others are published. */
function expectOneHeldBack({ late, workspaceIds }: Stage, shards: readonly Shard[]): void {
  const reports = shards.map(({ printed }) => printed as WeeklyReport);
  const heldBack = reports.flatMap(({ unpublished }) => unpublished);
  expect(heldBack).toMatchObject([{ workspaceId: late.workspaceId, reason: 'incomplete' }]);
  const published = reports.flatMap(({ snapshots }) => snapshots.map(({ workspaceId }) => workspaceId));
  const others = workspaceIds.filter((id) => id !== late.workspaceId);
  expect(published.toSorted()).toEqual(others.toSorted());
  for (const { how, metrics, complaint, printed } of shards) {
    const failed = (printed as WeeklyReport).unpublished.length;
    expect(how).toBe(String(failed));
    expect(metrics).toMatch(new RegExp(`^sightline_weekly_last_run_success\\{.*\\} ${1 - failed}$`, 'm'));
    expect(metrics).toMatch(new RegExp(`^sightline_weekly_unpublished_workspaces\\{.*\\} ${failed}$`, 'm'));
    expect(complaint.includes(late.workspaceId)).toBe(failed === 1);
  }
}

/** The rest of the drop arrives, and the same command publishes the workspace that was held back. */
async function publishLateWorkspace({ late, lakeUrl, ...stage }: Stage): Promise<void> {
  const ingest = ['ingest', '--from', late.lateDrop, '--lake', lakeUrl];
  await runJob('jobs/cli.ts', ingest, stage.jobSettings);
  const weekly = stage.weekly(thisWeek, stage.storeUrl);
  const report = (await runJob('jobs/cli.ts', weekly, stage.jobSettings)) as WeeklyReport;
  const isNew = report.snapshots.filter((snapshot) => snapshot.isNew).map(({ workspaceId }) => workspaceId);
  expect(isNew).toEqual([late.workspaceId]);
}

/** Waits until both gateways serve the current snapshots. */
async function untilServed(stage: Stage): Promise<Published> {
  const current = await publishedIn(stage.store, stage.trust, stage.workspaceIds);
  for (const { url } of stage.gateways) await untilCurrent(url, stage.clients.keys, current);
  return current;
}

/** Expects the same documents as from two unsharded runs without outages. */
async function expectNothingLost(stage: Stage): Promise<void> {
  const alone = join(stage.folder, 'alone');
  const settings = { ...stage.jobSettings, LOG_ORIGIN: 'alone.example/log' };
  for (const asOf of [lastWeek, thisWeek]) {
    await runJob('jobs/cli.ts', stage.weekly(asOf, alone), settings);
  }
  expect(await documentsIn(stage.store)).toEqual(await documentsIn(directoryStore(alone)));
}
