import { describe, expect, test } from 'vitest';
import { BRANDS_PATH, historyKey } from '../../../snapshots/layout.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { openPublisher } from '../../../snapshots/publish/publisher.ts';
import { contentOfDocuments } from '../../snapshots/documents.ts';
import { eachDocumentService, findIn, readsOf } from './document-service.ts';

const MANY = 1000;
const BRANDS = 5;
const idOf = (n: number) => `11111111-1111-4111-8111-${String(n).padStart(12, '0')}`;
const paths = [BRANDS_PATH, ...Array.from({ length: BRANDS }, (_, n) => `brands/${idOf(n)}/prompts.json`)];
const each = eachDocumentService();
const find = async (n: number) => await findIn(each.service, BRANDS_PATH, idOf(n));
const refresh = async () => await each.service.refresh();

/** One commit. All documents of a week are the same. */
async function publish(workspaces: number, asOf = '2026-11-16T06:00:00.000Z'): Promise<void> {
  const documents = paths.map((path) => ({ path, bytes: Buffer.from(`{"data":["${asOf}"]}\n`) }));
  const publisher = await openPublisher(each.log);
  for (let n = 0; n < workspaces; n++)
    await publisher.add(contentOfDocuments(idOf(n), asOf, documents), () => null);
  await publisher.finish();
}

describe('a thousand workspaces in use', () => {
  test(
    'cost one read each time if nothing was published, and all of a new week is read once',
    { tags: ['long'] },
    async () => {
      await publish(MANY);
      await refresh();
      const first = await readsOf(each, async () => {
        for (let n = 0; n < MANY; n++) await find(n);
      });
      expect(first).toEqual({ history: MANY, manifest: MANY, document: 1 }); // they share it
      expect(await readsOf(each, refresh)).toEqual({ checkpoint: 1 });
      expect(each.service.status().workspaces).toHaveLength(MANY);
      await publish(MANY, '2026-11-23T06:00:00.000Z');
      const { tile, ...rest } = await readsOf(each, refresh);
      expect(rest).toEqual({ checkpoint: 2, history: MANY, manifest: MANY });
      expect(tile).toBeLessThan(20);
      expect(await readsOf(each, refresh)).toEqual({ checkpoint: 1 });
      const warm = await readsOf(each, async () => {
        for (let n = 0; n < MANY; n++) await find(n);
      });
      expect(warm).toEqual({ document: 1 });
      expect(each.events.changed).toHaveLength(MANY);
    },
  );
});

/** Publishes once more, and loses the newest history of the first workspace. */
async function loseHistory(): Promise<void> {
  await publish(2, '2026-11-23T06:00:00.000Z');
  const { heads } = (await readLog(each.log.store, each.log))!;
  each.objects.delete(historyKey(idOf(0), heads.get(idOf(0))!));
}

describe('workspaces', () => {
  test('are read once by refreshes that overlap, because the store is slower than their interval', async () => {
    await publish(3);
    for (const n of [0, 1, 2]) await find(n);
    await publish(3, '2026-11-23T06:00:00.000Z');
    const reads = await readsOf(each, async () => {
      const { promise: responded, resolve: respond } = Promise.withResolvers<void>();
      each.beforeRead = async () => await responded;
      const refreshes = [refresh(), refresh(), refresh()];
      respond();
      await Promise.all(refreshes);
    });
    expect(reads).toMatchObject({ history: 3, manifest: 3 });
    expect(each.events.changed).toHaveLength(3);
  });

  test('that were removed since the last look have no documents, and the gateway notices at their next request', async () => {
    await publish(2);
    await find(1);
    const removed = { workspaceId: idOf(0), which: 'all', reason: 'removed' } as const;
    await withdrawSnapshots(each.log, removed);
    expect(await find(0)).toMatchObject({ snapshotId: null });
    expect(each.service.status().workspaces).toContainEqual(
      expect.objectContaining({ workspaceId: idOf(0), state: 'none' }),
    );
    expect(await find(1)).not.toBeNull();
  });

  test('are forgotten after ten minutes without requests', async () => {
    await publish(2);
    await find(1);
    each.now += 599_000;
    await refresh();
    expect(each.service.status().workspaces).toHaveLength(1);
    await find(1);
    each.now += 599_000;
    await refresh();
    expect(each.service.status().workspaces).toHaveLength(1);
    each.now += 2000;
    await refresh();
    expect(each.service.status().workspaces).toEqual([]);
  });

  test('whose newest state cannot be read are never forgotten', async () => {
    await publish(2);
    await find(0);
    await find(1);
    await loseHistory();
    await refresh();
    each.now += 3_600_000;
    await refresh();
    expect(each.service.status().workspaces).toMatchObject([{ workspaceId: idOf(0), state: 'kept' }]);
    expect(await find(0)).not.toBeNull();
  });
});
