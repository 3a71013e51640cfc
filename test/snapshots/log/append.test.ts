import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import { adoptLog } from '../../../snapshots/log/adopt.ts';
import { appendToLog } from '../../../snapshots/log/append.ts';
import type { WorkspaceHistory } from '../../../snapshots/log/append.ts';
import { encodeEntry } from '../../../snapshots/log/entries.ts';
import { leafHash } from '../../../snapshots/log/tree/merkle.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { keysOf } from '../history.ts';
import { entryOf, makePlace, publishedOf, snapshotsOf, workspaceId, verifiedLog } from './histories.ts';
import { plainRoot } from './trees.ts';

const nothing = { seen: [], policy: null };

describe('an append', () => {
  test('adds new snapshots in the order of publication, and nothing when there are none', async () => {
    const { store, keys, appending } = await makePlace();
    expect(await appendToLog(appending([2, 1]))).toMatchObject({ added: 3, size: 3, refused: [] });
    expect(await appendToLog(appending([3, 2]))).toMatchObject({ added: 2, size: 5 });
    expect(await appendToLog(appending([3, 2]))).toMatchObject({ added: 0, size: 5 });
    const order = [entryOf(0, 1), entryOf(1, 1), entryOf(0, 2), entryOf(1, 2), entryOf(0, 3)];
    const checkpoint = (await readCheckpoint(store))!;
    expect(checkpoint.root).toEqual(plainRoot(order.map((entry) => leafHash(encodeEntry(entry)))));
    const report = await verifiedLog(store, {
      ...nothing,
      trust: keys.trust,
      published: publishedOf([3, 2]),
    });
    expect(report).toMatchObject({ problems: [], notes: [], entries: 5 });
  });

  test('of all entries at once gives the same tiles as many small ones', async () => {
    const [small, large] = [await makePlace(), await makePlace()];
    for (const weeks of [100, 256, 300, 513]) await appendToLog(small.appending([weeks]));
    const { store, appending } = { ...large };
    expect(await appendToLog({ ...appending([513]), signer: small.keys.signer })).toMatchObject({
      size: 513,
    });
    for (const key of await keysOf(store))
      expect([key, (await small.store.get(key))!.bytes]).toEqual([key, (await store.get(key))!.bytes]);
  });

  test('refuses a workspace whose history was rewritten or rolled back, and logs the others', async () => {
    const { appending } = await makePlace();
    await appendToLog(appending([3, 3, 1]));
    const rewritten = [entryOf(0, 1), entryOf(0, 2), entryOf(0, 3, 'other'), entryOf(0, 4, 'other')];
    const result = await appendToLog({
      ...appending([]),
      async *histories(): AsyncGenerator<WorkspaceHistory> {
        yield { workspaceId: workspaceId(0), snapshots: rewritten };
        yield { workspaceId: workspaceId(1), snapshots: snapshotsOf(1, 2) };
        yield { workspaceId: workspaceId(2), snapshots: snapshotsOf(2, 2) };
        yield { workspaceId: workspaceId(3), failure: 'its pointer cannot be read' };
      },
    });
    expect(result).toMatchObject({ added: 1, size: 8 });
    expect(result.refused.map((refusal) => refusal.workspaceId)).toEqual([0, 1, 3].map(workspaceId));
    expect(result.refused[0]!.reason).toMatch(/rewritten/);
  });

  test('never signs a head that extends an altered, cut or rolled-back log', async () => {
    const { folder, store, keys, appending } = await makePlace();
    await appendToLog(appending([2]));
    const before = (await store.get('log/checkpoint'))!.bytes;
    await appendToLog(appending([4]));
    await writeFile(join(folder, 'store/log/checkpoint'), before);
    expect(await appendToLog(appending([5]))).toMatchObject({ added: 1, size: 5 });
    await writeFile(join(folder, 'store/log/tile/0/000.p/5'), Buffer.alloc(160, 1));
    await expect(appendToLog(appending([6]))).rejects.toThrow(/nothing was appended/);
    const report = await verifiedLog(store, { ...nothing, trust: keys.trust, published: publishedOf([5]) });
    expect(report.problems.map(({ kind }) => kind)).toContain('log_damaged');
  });

  test.each([[[]], [[1]]])('to %j is not disturbed by a concurrent one at any step', async (weeks) => {
    for (let step = 1, isDisturbed = true; isDisturbed; step += 1) {
      const { store, lake, keys, appending } = await makePlace();
      await appendToLog(appending(weeks));
      let [steps, other] = [0, 0];
      const after = async () => {
        steps += 1;
        if (steps === step) other = (await appendToLog(appending([2, 3]))).added;
      };
      const [watchedStore, watchedLake] = [store, lake].map((each) => interposedStore(each, { after }));
      const options = { ...appending([300, 3]), store: watchedStore!, lake: watchedLake! };
      const { added, refused } = await appendToLog(options);
      isDisturbed = steps >= step;
      expect([refused, weeks.length + added + other]).toEqual([[], 303]);
      const published = publishedOf([300, 3]);
      const report = await verifiedLog(store, { ...nothing, trust: keys.trust, published });
      expect([report.problems, report.entries]).toEqual([[], 303]);
    }
  });

  test('is not stopped by what a killed one staged, nor by an append of fewer entries since', async () => {
    const { store, lake, appending } = await makePlace();
    const dying = interposedStore(lake, {
      before({ method }) {
        if (method === 'swap') throw new Error('died');
      },
    });
    await expect(appendToLog({ ...appending([3]), lake: dying })).rejects.toThrow('died');
    expect(await appendToLog(appending([2]))).toMatchObject({ added: 2, size: 2 });
    expect(await appendToLog(appending([3]))).toMatchObject({ added: 1, size: 3 });
    expect((await readCheckpoint(store))!.size).toBe(3);
  });

  test('refuses another origin, another key, and a store with the log of another lake', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    await appendToLog(place.appending([1]));
    const options = place.appending([2]);
    await expect(appendToLog({ ...options, origin: 'other.example' })).rejects.toThrow(/origin/);
    await expect(
      appendToLog({ ...options, signer: other.keys.signer, trust: other.keys.trust }),
    ).rejects.toThrow(/not signed with the signing key/);
    await expect(appendToLog({ ...options, lake: other.lake })).rejects.toThrow(/log adopt/);
  });

  test('continues under a new signing key if the old one is trusted', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    await appendToLog(place.appending([1]));
    const trust = new Map([...place.keys.trust, ...other.keys.trust]);
    await appendToLog({ ...place.appending([2]), signer: other.keys.signer, trust });
    const report = await verifiedLog(place.store, {
      ...nothing,
      trust: other.keys.trust,
      published: publishedOf([2]),
    });
    expect(report.problems).toEqual([]);
  });

  test('after the loss of the lake continues only after "log adopt"', async () => {
    const { folder, store, keys, appending } = await makePlace();
    await appendToLog(appending([3]));
    await rm(join(folder, 'lake'), { recursive: true });
    const lake = directoryStore(join(folder, 'lake'));
    await expect(appendToLog(appending([4]))).rejects.toThrow(/log adopt/);
    expect(await adoptLog(store, lake, keys.trust)).toBe(3);
    expect(await appendToLog(appending([4]))).toMatchObject({ added: 1, size: 4 });
  });
});

test('"log adopt" never replaces a head that an append committed at any step of it', async () => {
  for (let step = 1, isDisturbed = true; isDisturbed; step += 1) {
    const { store, lake, keys, appending } = await makePlace();
    await appendToLog(appending([3]));
    let steps = 0;
    const after = async () => {
      steps += 1;
      if (steps === step) await appendToLog(appending([4]));
    };
    const adopting = adoptLog(
      interposedStore(store, { after }),
      interposedStore(lake, { after }),
      keys.trust,
    );
    const complaint = await adopting.then(() => '', String);
    expect(complaint).toMatch(/^$|changed by another append; try again/);
    isDisturbed = steps >= step;
    expect(await appendToLog(appending([4]))).toMatchObject({ size: 4 });
    expect((await readCheckpoint(store))!.size).toBe(4);
  }
});
