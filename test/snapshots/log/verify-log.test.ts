import { appendFile, rm, writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendToLog } from '../../../snapshots/log/append.ts';
import { emptyTree, growTree, writeTree } from '../../../snapshots/log/tree/grow.ts';
import { leafHash } from '../../../snapshots/log/tree/merkle.ts';
import { growingTree } from '../../../snapshots/log/tree/tiles.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { verifyLog } from '../../../snapshots/log/verify/verify-log.ts';
import { checkTiles } from '../../../snapshots/log/verify/verify-tiles.ts';
import { reporter } from '../../../snapshots/verify/findings.ts';
import type { Findings } from '../../../snapshots/verify/findings.ts';
import { entryOf, makePlace, publishedOf, verifiedLog } from './histories.ts';
import { entriesOf } from './trees.ts';

const nothing = { seen: [], policy: null };

describe('verification of a log', () => {
  test('finds an entry that no chain contains, and an old publication that the log does not contain', async () => {
    const { store, keys, appending } = await makePlace();
    await appendToLog(appending([2, 6]));
    const published = publishedOf([1, 6, 1]);
    const report = await verifiedLog(store, { ...nothing, trust: keys.trust, published });
    expect(report.problems.map(({ kind, snapshotId }) => [kind, snapshotId])).toEqual([
      ['logged_not_published', entryOf(0, 2).snapshotId],
      ['published_not_logged', entryOf(2, 1).snapshotId],
    ]);
  });

  test('notes snapshots that were published since the last append', async () => {
    const { store, keys, appending } = await makePlace();
    await appendToLog(appending([1]));
    const report = await verifiedLog(store, { ...nothing, trust: keys.trust, published: publishedOf([2]) });
    expect(report.problems).toEqual([]);
    expect(report.notes.map(({ kind }) => kind)).toEqual(['not_logged_yet']);
  });

  test('finds a log that was rewritten, cut or removed since the last verification', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    await appendToLog(place.appending([4]));
    const seen = (await readCheckpoint(place.store))!;
    const verifyOther = async (store = other.store) =>
      (
        await verifiedLog(store, { seen: [seen], policy: null, trust: null, published: new Map() })
      ).problems.map(({ kind }) => kind);
    expect(await verifyOther()).toEqual(['log_missing']);
    await appendToLog(other.appending([2]));
    expect(await verifyOther()).toContain('log_rewritten');
    await appendToLog(other.appending([2, 3]));
    expect(await verifyOther()).toContain('log_rewritten');
    await appendToLog(place.appending([5]));
    expect(await verifyOther(place.store)).not.toContain('log_rewritten');
  });

  test.for(['log/tile/entries/000.p/3', 'log/tile/0/000.p/3', 'log/checkpoints/3'])(
    'finds an altered %s',
    async (key) => {
      const { folder, store, keys, appending } = await makePlace();
      await appendToLog(appending([3]));
      const file = join(folder, 'store', key);
      const bytes = await readFile(file);
      bytes[20] = bytes[20]! ^ 1;
      await writeFile(file, bytes);
      const found = async () =>
        (await verifiedLog(store, { ...nothing, trust: keys.trust, published: publishedOf([3]) })).problems;
      expect(await found()).not.toEqual([]);
      await appendFile(file, 'x');
      expect(await found()).not.toEqual([]);
    },
  );

  test.for(['log/tile/0/000.p/3', 'log/tile/entries/000.p/3', 'log/tile/0/000', 'log/tile/1/000.p/1'])(
    'finds a byte added to %s, which an earlier head or a proof needs',
    async (key) => {
      const { folder, store, appending } = await makePlace();
      for (const weeks of [3, 300]) await appendToLog(appending([weeks]));
      await appendFile(join(folder, 'store', key), 'x');
      const options = { ...nothing, trust: null, published: publishedOf([300]) };
      const { problems } = await verifiedLog(store, options);
      expect(problems).toMatchObject([{ kind: 'log_damaged', objects: [key] }]);
    },
  );

  test('finds an altered or missing tile that the root of 65,792 entries does not need', async () => {
    const { folder, store } = await makePlace();
    const entries = entriesOf(65_792);
    const tree = growingTree();
    for (const entry of entries) tree.add(leafHash(entry));
    await writeTree(store, (await growTree(store, emptyTree, entries)).objects);
    const problems = async () => {
      const findings: Findings = { problems: [], notes: [] };
      await checkTiles(store, tree, reporter(null, findings));
      return findings.problems;
    };
    expect(await problems()).toEqual([]);
    const file = join(folder, 'store/log/tile/1/000');
    const bytes = await readFile(file);
    bytes[20] = bytes[20]! ^ 1;
    await writeFile(file, bytes);
    expect(await problems()).toMatchObject([{ kind: 'log_damaged', objects: ['log/tile/1/000'] }]);
    await rm(file);
    expect(await problems()).toMatchObject([{ kind: 'log_damaged', objects: ['log/tile/1/000'] }]);
  });

  test('notes tiles beyond the head, which a killed append may have left', async () => {
    const { store, keys, appending } = await makePlace();
    await appendToLog(appending([3]));
    await store.create('log/tile/0/000.p/4', Buffer.alloc(128));
    await store.create('log/tile/2/000', Buffer.alloc(8192));
    const report = await verifiedLog(store, { ...nothing, trust: keys.trust, published: publishedOf([3]) });
    expect(report).toMatchObject({
      problems: [],
      notes: [{ kind: 'append_unfinished', objects: ['log/tile/0/000.p/4', 'log/tile/2/000'] }],
    });
  });

  test('finds a missing checkpoint without which entries could not be found', async () => {
    const { folder, store, keys, appending } = await makePlace();
    for (const weeks of [
      [3, 0],
      [3, 3],
      [4, 4],
    ])
      await appendToLog(appending(weeks));
    await rm(join(folder, 'store/log/checkpoints/3'));
    const options = { ...nothing, trust: keys.trust, published: publishedOf([4, 4]) };
    const { problems } = await verifiedLog(store, options);
    expect(problems).toMatchObject([{ kind: 'log_damaged', objects: ['log/checkpoints/3'] }]);
  });

  test('finds a time stamp without its checkpoint', async () => {
    const { store, keys, appending } = await makePlace();
    await appendToLog(appending([3]));
    await store.create('log/checkpoints/2.tsr', Buffer.from('any'));
    const options = { ...nothing, trust: keys.trust, published: publishedOf([3]) };
    const { problems } = await verifiedLog(store, options);
    expect(problems).toMatchObject([{ kind: 'log_damaged', objects: ['log/checkpoints/2.tsr'] }]);
  });

  test('finds nothing wrong in a log that grew since its checkpoint was read', async () => {
    const { folder, store, keys, appending } = await makePlace();
    await appendToLog(appending([3]));
    const checkpoint = await readCheckpoint(store);
    const before = await readFile(join(folder, 'store/log/checkpoint'));
    await appendToLog(appending([4]));
    const options = { ...nothing, trust: keys.trust, published: publishedOf([4]) };
    const verifyFrom = async () => {
      const findings: Findings = { problems: [], notes: [] };
      await verifyLog(store, checkpoint, options, findings);
      return findings.problems.map(({ kind }) => kind);
    };
    expect(await verifyFrom()).toEqual([]);
    await writeFile(join(folder, 'store/log/checkpoint'), before);
    expect(await verifyFrom()).toEqual(['log_rewritten']);
  });
});
