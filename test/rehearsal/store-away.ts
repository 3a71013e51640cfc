import { expect } from 'vitest';
import { errorTable } from '../../lib/errors.ts';
import { ask, bearer } from '../gateway/ask.ts';
import { until } from '../support/until.ts';
import { routeOf } from './clients.ts';
import type { Load } from './load.ts';
import type { Published } from './published.ts';
import type { Stage } from './stage.ts';

/**
 * Disconnects the store from both gateways for a number of requests. Documents in memory are served; any other document
 * is a 500 until the store is back.
 * @param askWarmOnly restricts the load to documents in memory
 */
export async function takeStoreAway(
  stage: Stage,
  load: Load,
  requests: number,
  askWarmOnly: (warmOnly: boolean) => void,
): Promise<void> {
  const [workspaceId, key] = [...stage.clients.keys][0]!;
  const { snapshotId } = stage.before.get(workspaceId)!;
  const cold = () =>
    ask(stage.balancerUrl, `/api/v1/snapshots/${snapshotId}/brands`, { headers: bearer(key) });
  askWarmOnly(true);
  await load.more(requests); // requests sent before have responses now
  stage.storeOfGateways.isAway = true;
  await load.more(requests);
  const refused = await cold();
  expect(refused.status).toBe(500);
  const { message } = errorTable.internal;
  expect(JSON.parse(refused.text)).toEqual({ error: { code: 'internal', message } });
  await load.more(requests);
  stage.storeOfGateways.isAway = false;
  await until(async () => (await cold()).status === 200, 'a document of the store is served');
  askWarmOnly(false);
}

/** Requests every document from each gateway, with the keys of clients that may read all of theirs. */
export async function warmUp({ gateways, clients }: Stage, published: Published): Promise<void> {
  for (const { url } of gateways) {
    for (const [id, key] of clients.keys) {
      for (const path of published.get(id)!.documents.keys()) {
        expect((await ask(url, routeOf(path), { headers: bearer(key) })).status).toBe(200);
      }
    }
  }
}
