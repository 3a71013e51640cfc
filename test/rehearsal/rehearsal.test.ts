import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorTable } from '../../lib/errors.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { freePort } from '../gateway/postgres.ts';
import { temporaryFolder } from '../support/folder.ts';
import { describeWith } from '../support/requires.ts';
import { describeS3 } from '../support/s3-server.ts';
import { untilCurrent } from './gateways.ts';
import { runJob } from './jobs.ts';
import { judge, minutesOf } from './judge.ts';
import type { Outage } from './judge.ts';
import { startLoad } from './load.ts';
import type { Load } from './load.ts';
import { startNginx } from './nginx.ts';
import { documentsIn, publishedIn } from './published.ts';
import { say } from './report.ts';
import { killAndRestart } from './restart.ts';
import { publishInShards } from './shards.ts';
import { lastWeek, setStage, thisWeek } from './stage.ts';
import type { Stage } from './stage.ts';

const REQUESTS_PER_SECOND = 120;
/** Of one workspace, a minute; it asks for ten times as much. */
const ALLOWANCE = 60;

describeWith(['nginx'], 'behind nginx', () => {
  test('that no gateway answers is said in the words of the API', async () => {
    const nobody = [`http://127.0.0.1:${await freePort()}`, `http://127.0.0.1:${await freePort()}`];
    const balancer = await startNginx(await temporaryFolder(), nobody);
    const answer = await fetch(`${balancer.url}/api/v1/brands`);
    await balancer.stop();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/json']);
    const { message } = errorTable.internal;
    expect(await answer.json()).toEqual({ error: { code: 'internal', message } });
  });

  describeS3('on S3', () => {
    test('a week is published in shards under load, while a gateway, a shard and the database are killed', async () => {
      const began = performance.now();
      const stage = await setStage(ALLOWANCE);
      const load = startLoad(stage.balancerUrl, REQUESTS_PER_SECOND, () => stage.clients.next());
      const { outages, databaseKilledAt } = await publishAndKill(stage, load);
      const after = await publishedIn(stage.store, stage.workspaceIds);
      for (const { url } of stage.gateways) await untilCurrent(url, stage.clients.keys, after);
      await load.more(2 * REQUESTS_PER_SECOND);
      await load.stop();

      const verdict = judge(load.outcomes, [stage.before, after], outages);
      const minutes = minutesOf(load.outcomes, databaseKilledAt);
      const troubles = stage.gateways.flatMap((gateway) => gateway.troubles());
      say(verdict, minutes, outages, troubles, (performance.now() - began) / 1000);
      expect(verdict.wrong).toEqual([]);
      expect(verdict.unexplained).toEqual([]);
      for (const documents of verdict.served) expect(documents).toBeGreaterThan(0);
      const met = Object.keys(verdict.statuses);
      expect(met).toEqual(expect.arrayContaining(['200', '304', '401', '402', '404', '429']));
      expect(minutes.filter(({ given, forgiven }) => given > ALLOWANCE + forgiven)).toEqual([]);
      await expectNothingLost(stage);
    }, 240_000);
  });
});

/** The week comes out while one part after the other dies and comes back. */
async function publishAndKill(stage: Stage, load: Load) {
  const outages: Outage[] = [];
  const outage = async (what: string, work: () => Promise<void>) => {
    const from = Date.now();
    await work();
    await stage.untilServing();
    outages.push({ what, from, to: Date.now() });
    return from;
  };
  await load.more(2 * REQUESTS_PER_SECOND);
  const shards = await publishInShards(stage);
  await outage('a gateway killed', async () => {
    const [gateway] = stage.gateways;
    await gateway.kill();
    await load.more(2 * REQUESTS_PER_SECOND);
    await gateway.start();
  });
  await expect(shards.doomed).rejects.toThrow('ended with SIGKILL');
  const databaseKilledAt = await outage('the database killed', async () => {
    await killAndRestart(stage.database, () => load.more(REQUESTS_PER_SECOND));
  });
  await shards.complete();
  return { outages, databaseKilledAt };
}

/** Nothing was lost, and nothing is there that two unsharded runs, left in peace, would not have written. */
async function expectNothingLost(stage: Stage): Promise<void> {
  const alone = join(stage.folder, 'alone');
  for (const asOf of [lastWeek, thisWeek]) {
    await runJob('jobs/cli.ts', stage.weekly(asOf, alone), stage.jobSettings);
  }
  expect(await documentsIn(stage.store)).toEqual(await documentsIn(directoryStore(alone)));
  const verify = ['verify', '--store', stage.storeUrl];
  expect(await runJob('snapshots/cli.ts', verify, stage.auditSettings)).toMatchObject({
    isIntact: true,
    checked: { snapshots: 2 * stage.workspaceIds.length },
  });
}
