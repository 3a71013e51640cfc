import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { listSnapshots } from '../../../snapshots/audit/list.ts';
import { readChain, resolveSnapshot } from '../../../snapshots/audit/select.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import {
  headKey,
  pointerKey,
  receiptKey,
  snapshotPrefix,
  snapshotsPrefix,
} from '../../../snapshots/layout.ts';
import { publishSnapshot } from '../../../snapshots/publish/publish.ts';
import type { PublishOptions } from '../../../snapshots/publish/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import { makeTestKeys } from '../history.ts';
import type { Keys } from '../history.ts';
import { publicationOf, workspaceId } from '../publication.ts';

let root: string;
let folder: string;
let store: ObjectStore;
let lake: ObjectStore;
let own: Keys;
let ids: string[];

/** Publishes week `week`, an hour after its as-of time. */
async function publish(week: number, options: PublishOptions = {}) {
  const now = Date.parse(publicationOf(week).asOf) + 3_600_000;
  const usual = { signer: own.signer, heads: lake, clock: { now: () => now } };
  return await publishSnapshot(store, publicationOf(week), { ...usual, ...options });
}

beforeEach(async () => {
  root = await temporaryFolder();
  folder = join(root, 'store');
  store = directoryStore(folder);
  lake = directoryStore(join(root, 'lake'));
  own = await makeTestKeys(root, 'own');
  ids = [];
  for (const week of [0, 1, 2, 3]) ids.push((await publish(week)).snapshotId);
});

const fileOf = (key: string) => join(folder, key);

async function pointAt(week: number): Promise<void> {
  const receipt = await readFile(fileOf(receiptKey(workspaceId, ids[week]!)));
  await writeFile(fileOf(pointerKey(workspaceId)), receipt);
}

async function everything(): Promise<string[]> {
  return (await Array.fromAsync(store.list(''))).map(({ key, bytes }) => `${key} ${bytes}`);
}

describe('the publisher refuses, and writes nothing,', () => {
  test.each<[string, () => Promise<void>, RegExp]>([
    ['a pointer that was set back', () => pointAt(1), /does not come after 20260126T/],
    [
      'a pointer that was set back, with the newer snapshots removed',
      async () => {
        await pointAt(1);
        for (const id of ids.slice(2)) await rm(fileOf(snapshotPrefix(workspaceId, id)), { recursive: true });
      },
      /does not come after/,
    ],
    ['a missing pointer', () => rm(fileOf(pointerKey(workspaceId))), /but no pointer/],
    [
      'a workspace without any object',
      () => rm(fileOf('workspaces'), { recursive: true }),
      /was published there; put the store back, or remove .*\/heads\/\S+\.json to begin a new history$/,
    ],
    [
      'a head without its manifest',
      () => rm(fileOf(`${snapshotPrefix(workspaceId, ids[3]!)}manifest.json`)),
      /manifest\.json is missing/,
    ],
    [
      'a pointer to another workspace',
      async () => {
        const other = '018f2b6e-0000-7000-8000-000000000002';
        await publishSnapshot(store, publicationOf(3, { workspaceId: other }), { signer: own.signer });
        await cp(fileOf(snapshotsPrefix(other)), fileOf(snapshotsPrefix(workspaceId)), {
          recursive: true,
          force: true,
        });
        await cp(fileOf(pointerKey(other)), fileOf(pointerKey(workspaceId)));
      },
      /this is a manifest of workspace 018f2b6e-0000-7000-8000-000000000002/,
    ],
    [
      'a pointer whose snapshot id is a path',
      () =>
        writeFile(
          fileOf(pointerKey(workspaceId)),
          `{"format":2,"snapshotId":"../../../x","manifestSha256":"${'0'.repeat(64)}"}\n`,
        ),
      /cannot be read: snapshotId: expected the id of a snapshot/,
    ],
    [
      'an unsigned head after signed ones',
      async () => void (await publish(4, { signer: undefined, heads: undefined })),
      /is not signed/,
    ],
    [
      'a head of a key that is not trusted',
      async () => {
        const thief = await makeTestKeys(root, 'thief');
        await publish(4, { signer: thief.signer, trust: null, heads: undefined });
      },
      /signed with a key that is not trusted/,
    ],
  ])('%s', async (_, harm, message) => {
    await harm();
    const before = await everything();
    const remembered = (await lake.get(headKey(workspaceId)))!.bytes;
    await expect(publish(5)).rejects.toThrow(message);
    expect(await everything()).toEqual(before);
    expect((await lake.get(headKey(workspaceId)))!.bytes).toEqual(remembered);
  });

  test('a lost pointer also without a recorded head, because there are receipts', async () => {
    await rm(fileOf(pointerKey(workspaceId)));
    await expect(publish(5, { heads: undefined })).rejects.toThrow(/but no pointer/);
  });
});

describe('the publisher continues', () => {
  test('from the adopted snapshot, and the chain is complete', async () => {
    await rm(fileOf(pointerKey(workspaceId)));
    await publish(4, { adopt: ids[3] });
    const report = await verifyStore(store, { trust: own.trust });
    expect(report).toMatchObject({ isIntact: true, checked: { snapshots: 5 } });
    expect((await publish(5)).isNew).toBe(true);
  });

  test('from the adopted snapshot, even if the refused pointer comes after it too', async () => {
    await pointAt(1);
    await publish(4, { heads: undefined });
    await expect(publish(5)).rejects.toThrow(/does not come after/);
    await publish(5, { adopt: ids[1] });
    const entries = await Array.fromAsync(readChain(store, workspaceId));
    expect(entries.map(({ manifest }) => manifest.asOf)).toEqual(
      [5, 1, 0].map((week) => publicationOf(week).asOf),
    );
  });

  test('after it was killed before it recorded its head', async () => {
    const dying = interposedStore(lake, {
      before({ method }) {
        if (method === 'swap') throw new Error('died');
      },
    });
    await expect(publish(4, { heads: dying })).rejects.toThrow('died');
    expect(await publish(4)).toMatchObject({ isNew: false });
    expect((await publish(5)).isNew).toBe(true);
  });

  test('with another key, from the recorded head', async () => {
    const next = await makeTestKeys(root, 'next');
    await publish(4, { signer: next.signer });
    const { isIntact, notes } = await verifyStore(store, { trust: next.trust });
    expect(isIntact).toBe(true);
    expect(new Set(notes.map(({ kind }) => kind))).toEqual(new Set(['retired_key_history']));
    const both = new Map([...own.trust, ...next.trust]);
    expect(await verifyStore(store, { trust: both })).toMatchObject({ isIntact: true, notes: [] });
    await publish(5, { trust: null });
    for (const trust of [both, next.trust, null]) {
      const { problems } = await verifyStore(store, { trust });
      expect(problems.map(({ kind }) => kind)).toContain('retired_key');
    }
  });
});

describe('a manifest', () => {
  test('has the next number and the publication time, which does not change if it is published again', async () => {
    const before = await everything();
    await publish(3, { clock: { now: () => Date.parse('2027-01-01T00:00:00Z') } });
    expect(await everything()).toEqual(before);
    const entries = await Array.fromAsync(readChain(store, workspaceId));
    expect(entries.map(({ manifest }) => manifest.sequence)).toEqual([4, 3, 2, 1]);
    expect(entries[0]!.manifest.publishedAt).toBe('2026-01-26T07:00:00.000Z');
  });

  test('is never older than the one before it, for any clock', async () => {
    await publish(4, { clock: { now: () => 0 } });
    const { manifest } = await resolveSnapshot(store, workspaceId, 'current');
    expect(manifest.publishedAt).toBe('2026-01-26T07:00:00.000Z');
    expect(await verifyStore(store, { trust: own.trust })).toMatchObject({ isIntact: true });
  });
});

test('a date names the snapshot that was current at its end, and --as-of the one computed as of it', async () => {
  const now = Date.parse('2026-01-27T12:00:00Z');
  const late = publicationOf(1, { methodologyVersion: '2' });
  const { snapshotId: again } = await publishSnapshot(store, late, {
    signer: own.signer,
    heads: lake,
    clock: { now: () => now },
  });
  const idOf = async (reference: Parameters<typeof resolveSnapshot>[2]) =>
    (await resolveSnapshot(store, workspaceId, reference)).link.snapshotId;
  expect(await idOf('2026-01-12')).toBe(ids[1]);
  expect(await idOf('2026-01-26')).toBe(ids[3]);
  expect(await idOf('2026-01-27')).toBe(again);
  expect(await idOf({ asOf: '2026-01-12' })).toBe(again);
  expect(await idOf({ asOf: '2026-01-26' })).toBe(ids[3]);
  expect(await idOf('previous')).toBe(ids[0]);
});

/** The number of reads for a list of the workspace. */
async function readsOf() {
  let reads = 0;
  const counting = interposedStore(store, { before: () => void (reads += 1) });
  const { snapshots } = await listSnapshots(counting, { workspaceId, trust: own.trust });
  return { reads, length: snapshots.length };
}

test('the whole history is listed with the same number of reads for any length', async () => {
  const short = await readsOf();
  for (let week = 4; week < 24; week += 1) await publish(week);
  expect(await readsOf()).toEqual({ reads: short.reads, length: 24 });
  expect(short.reads).toBeLessThanOrEqual(5);
});
