import { expect, test } from 'vitest';
import { describeWith } from '../support/requires.ts';
import { describeS3 } from '../support/s3-server.ts';
import { until } from '../support/until.ts';
import { complaintAbout, startLoad } from './load.ts';
import type { Load } from './load.ts';
import { publishWeek, setStage, thisWeek } from './stage.ts';
import type { Stage } from './stage.ts';

/** A request each 8 ms. */
const EVERY_MS = 8;
const REQUESTS_PER_SECOND = 1000 / EVERY_MS;

describeWith(['nginx'], 'behind nginx', () => {
  describeS3('on S3', () => {
    test('a week is published in shards under load, while a gateway and the database die; then the gateways are replaced, and no request fails', async () => {
      const stage = await setStage();
      const before = await stage.published();
      expect(await stage.verify()).toBe(before.size);
      const load = startLoad(stage.balancerUrl, EVERY_MS, before, stage.keys);
      const outages = await publishAndKill(stage, load);
      const after = await stage.published();
      const isServed = (snapshotId: string) =>
        load.outcomes.some(({ answer }) => answer?.headers['x-snapshot-id'] === snapshotId);
      for (const { snapshotId } of after.values())
        await until(() => isServed(snapshotId), `${snapshotId} is served`, { everyMs: 50 });
      for (const gateway of stage.gateways) {
        expect(await gateway.end('SIGTERM')).toBe(0);
        await gateway.start();
      }
      await load.more(2 * REQUESTS_PER_SECOND);
      await load.stop();

      // The replacement explains no error.
      const complaints = load.outcomes.map((outcome) => complaintAbout(outcome, [before, after], outages));
      expect(complaints.filter((complaint) => complaint !== null)).toEqual([]);
      expect(await stage.verify()).toBe(2 * before.size);
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
  expect((await Promise.all(shards)).flat().toSorted()).toEqual([...stage.keys.keys()].toSorted());
  return outages;
}
