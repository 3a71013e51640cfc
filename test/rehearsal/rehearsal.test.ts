import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { describeWith } from '../support/requires.ts';
import { describeS3 } from '../support/s3-server.ts';
import { untilCurrent } from './gateways.ts';
import { complaintAbout, startLoad } from './load.ts';
import type { Load } from './load.ts';
import { lastWeek, publishWeek, setStage, thisWeek } from './stage.ts';
import type { Published, Stage } from './stage.ts';

const REQUESTS_PER_SECOND = 120;

describeWith(['nginx'], 'behind nginx', () => {
  describeS3('on S3', () => {
    test('a week is published in shards under load, while a gateway and the database die; then the gateways are replaced, and no request fails', async () => {
      const stage = await setStage();
      const workspaces = stage.workspaceIds.length;
      expect(await stage.verify()).toBe(workspaces);
      const load = startLoad(stage.balancerUrl, REQUESTS_PER_SECOND, stage.before, stage.keys);
      const outages = await publishAndKill(stage, load);
      const after = await untilServed(stage);
      for (const gateway of stage.gateways) {
        expect(await gateway.end('SIGTERM')).toBe(0);
        await gateway.start();
      }
      await load.more(2 * REQUESTS_PER_SECOND);
      await load.stop();

      // The replacement explains no error.
      const versions = [stage.before, after];
      const complaints = load.outcomes.map((outcome) => complaintAbout(outcome, versions, outages));
      expect(complaints.filter((complaint) => complaint !== null)).toEqual([]);
      const served = new Set(load.outcomes.map(({ answer }) => answer?.headers['x-snapshot-id']));
      for (const version of versions)
        expect([...version.values()].some(({ snapshotId }) => served.has(snapshotId))).toBe(true);
      await expectNothingLost(stage, after);
      expect(await stage.verify()).toBe(2 * workspaces);
    });
  });
});

/** Publishes the week while one part after the other is killed and restarted. */
async function publishAndKill(stage: Stage, load: Load): Promise<{ from: number; to: number }[]> {
  const outages: { from: number; to: number }[] = [];
  const outage = async (work: () => Promise<void>) => {
    const from = Date.now();
    await work();
    await stage.untilServing();
    outages.push({ from, to: Date.now() });
  };
  await load.more(2 * REQUESTS_PER_SECOND);
  const shards = [1, 2, 3, 4].map(
    async (shard) => await publishWeek(thisWeek, stage.jobSettings, '--shard', `${shard}/4`),
  );
  await outage(async () => {
    const [gateway] = stage.gateways;
    await gateway!.end('SIGKILL');
    await load.more(2 * REQUESTS_PER_SECOND);
    await gateway!.start();
  });
  await outage(async () => {
    process.kill(stage.database.pid(), 'SIGKILL');
    await load.more(REQUESTS_PER_SECOND);
    await stage.database.restart();
  });
  expect((await Promise.all(shards)).flat().toSorted()).toEqual(stage.workspaceIds.toSorted());
  return outages;
}

/** Waits until both gateways serve the current snapshots. */
async function untilServed({ gateways, keys, published, store }: Stage): Promise<Published> {
  const current = await published(store);
  for (const { url } of gateways)
    for (const [id, key] of keys) await untilCurrent(url, key, current.get(id)!.snapshotId);
  return current;
}

/** Expects the same documents as from two unsharded runs without outages. */
async function expectNothingLost(stage: Stage, after: Published): Promise<void> {
  const alone = join(stage.folder, 'alone');
  const settings = { ...stage.jobSettings, STORE_URL: alone, LOG_ORIGIN: 'alone.example/log' };
  for (const asOf of [lastWeek, thisWeek]) await publishWeek(asOf, settings);
  const expected = await stage.published(directoryStore(alone));
  expect([...after].map(([id, { documents }]) => [id, documents])).toEqual(
    [...expected].map(([id, { documents }]) => [id, documents]),
  );
}
