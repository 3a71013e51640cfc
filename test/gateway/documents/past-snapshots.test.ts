import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { documentService } from '../../../gateway/documents/documents.ts';
import type { DocumentService, Found } from '../../../gateway/documents/documents.ts';
import type { PastQuestion } from '../../../gateway/documents/history.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { pruneSnapshots } from '../../../snapshots/prune/prune.ts';
import { BRANDS_PATH, documentKinds, documentPath, snapshotPrefix } from '../../../snapshots/layout.ts';
import { brandIds, makeTestKeys, publishWeek, weeks, workspaceIds } from '../../snapshots/history.ts';
import type { Keys } from '../../snapshots/history.ts';
import { temporaryFolder } from '../../support/folder.ts';

const [workspaceId, otherId] = workspaceIds;
const CACHE_BYTES = 1 << 20;
const paths = brandIds.flatMap((id) => documentKinds.map((kind) => documentPath(id, kind)));
/** For the documents of one snapshot and a few more. */
const ROOM = (paths.length + 5) * 4600;
const newest = weeks.length - 1;

let folder: string;
let store: ObjectStore;
let own: Keys;
/** The requests to the store: gets by key, lists by prefix. */
let reads: string[];
/** Of the first workspace, oldest first. */
let ids: string[];

beforeEach(async () => {
  const root = await temporaryFolder();
  folder = join(root, 'store');
  await mkdir(folder);
  const directory = directoryStore(folder);
  reads = [];
  store = {
    ...directory,
    get: (key) => {
      reads.push(key);
      return directory.get(key);
    },
    list: (prefix) => {
      reads.push(prefix);
      return directory.list(prefix);
    },
  };
  own = await makeTestKeys(root, 'own');
  ids = [];
  for (const week of weeks) ids.push(await publishWeek(store, workspaceId, week, own.signer));
  await publishWeek(store, otherId, weeks[0], own.signer);
});

function open(cacheBytes = CACHE_BYTES): DocumentService {
  const service = documentService(store, {
    cacheBytes,
    refreshSeconds: 3600,
    trust: own.trust,
    observer: {
      cacheHit: () => undefined,
      cacheMiss: () => undefined,
      snapshotKept: () => undefined,
      snapshotChanged: () => undefined,
    },
  });
  onTestFinished(() => service.close());
  return service;
}

const answerTo = (ask: (done: (error: unknown, found: Found | null) => void) => void) =>
  new Promise<Found | null>((resolve, reject) =>
    ask((error, found) => (error === null ? resolve(found) : reject(error))),
  );
const findPast = (service: DocumentService, question: PastQuestion) =>
  answerTo((done) => service.findPast(workspaceId, question, done));
const findCurrent = (service: DocumentService, path: string) =>
  answerTo((done) => service.find(workspaceId, path, done));
const old = (week: number, path: string | null = BRANDS_PATH): PastQuestion => ({
  of: 'snapshot',
  snapshotId: ids[week]!,
  path,
});
const list = { of: 'list' } as const;
const textOf = (found: Found | null) => found?.document.variants.identity.body.toString('utf8');

async function readsOf(work: () => Promise<unknown>): Promise<number> {
  reads = [];
  await work();
  return reads.length;
}

describe('an old document', () => {
  test('costs two reads when it is cold, and none after', async () => {
    const service = open();
    await findPast(service, list);
    expect(await readsOf(() => findPast(service, old(0)))).toBe(2); // its manifest and itself
    expect(await readsOf(() => findPast(service, old(0, paths[0])))).toBe(1);
    expect(await readsOf(() => findPast(service, old(0)))).toBe(0);
    let found: Found | null = null;
    service.findPast(workspaceId, old(0, paths[0]), (_error, now) => (found = now));
    expect(textOf(found)).toContain(weeks[0]); // within the same turn
  });

  test('is read once for concurrent requests', async () => {
    const service = open();
    await findPast(service, list);
    const many = () => Promise.all(Array.from({ length: 50 }, () => findPast(service, old(1))));
    expect(await readsOf(many)).toBe(2);
  });

  test('is final, and has the id of its snapshot', async () => {
    const service = open();
    for (const week of [0, newest]) {
      const found = await findPast(service, old(week));
      expect(found).toMatchObject({ snapshotId: ids[week], isFinal: true });
    }
    expect(await findCurrent(service, BRANDS_PATH)).toMatchObject({ isFinal: false });
  });

  test('is available immediately after it was replaced', async () => {
    const service = open();
    const before = await findCurrent(service, BRANDS_PATH);
    await publishWeek(store, workspaceId, '2026-11-23', own.signer);
    await service.refresh();
    expect(textOf(await findCurrent(service, BRANDS_PATH))).not.toBe(textOf(before));
    expect(textOf(await findPast(service, old(newest)))).toBe(textOf(before));
  });

  test.each(['manifest.json', BRANDS_PATH])('is never served after %s was altered', async (name) => {
    const service = open();
    await findPast(service, list);
    await writeFile(join(folder, snapshotPrefix(workspaceId, ids[0]!), name), '{"data":"another"}\n');
    await expect(findPast(service, old(0))).rejects.toThrow(name);
    expect(textOf(await findPast(service, old(1)))).toContain(weeks[1]);
  });

  test('is not found if nothing was published under the name', async () => {
    const service = open();
    expect(await answerTo((done) => service.findPast(otherId, old(0), done))).toBeNull();
    for (const snapshotId of [
      ids[0]!.toLowerCase(),
      `${ids[0]}0`,
      '',
      '../current',
      'constructor',
      '__proto__',
    ])
      expect(await findPast(service, { of: 'snapshot', snapshotId, path: BRANDS_PATH })).toBeNull();
    for (const path of ['manifest.json', '../x', 'brands/nobody/prompts.json'])
      expect(await findPast(service, old(0, path))).toBeNull();
  });
});

const prune = () =>
  pruneSnapshots(store, {
    workspaceId,
    keep: [{ newest: 2 }],
    signer: own.signer,
    trust: own.trust,
    now: Date.parse('2026-11-20T00:00:00Z'),
    isDryRun: false,
  });

describe('a pruned snapshot', () => {
  test('is listed, but its documents and its proof are gone, also from memory', async () => {
    const service = open();
    await findPast(service, old(0));
    await prune();
    await service.refresh();
    expect(await findPast(service, old(0))).toBeNull();
    expect(await findPast(service, old(0, null))).toBeNull();
    expect(await findPast(service, old(2))).not.toBeNull();
    const { data } = JSON.parse(textOf(await findPast(service, list))!) as { data: object[] };
    expect(data).toMatchObject([
      { id: ids[3], isPruned: false, isCurrent: true },
      { id: ids[2], isPruned: false, isCurrent: false },
      { id: ids[1], isPruned: true },
      { id: ids[0], isPruned: true, sequence: 1, brands: 2, isSigned: true },
    ]);
  });

  test('is not an error if it is requested before the gateway knows that it was pruned', async () => {
    const service = open();
    await findPast(service, list);
    await prune();
    expect(await findPast(service, old(0))).toBeNull();
  });
});

describe('the list of snapshots', () => {
  test('costs the same reads for any length of history, and none when warm', async () => {
    const [long, short] = [open(), open()];
    const cold = await readsOf(() => findPast(long, list));
    const ofOther = await readsOf(() => answerTo((done) => short.findPast(otherId, list, done)));
    expect([cold, ofOther]).toEqual([5, 4]); // pointer, manifest, signature, history (the first has none), tombstones
    expect(await readsOf(() => findPast(long, list))).toBe(0);
  });

  test('of a workspace without a snapshot is empty', async () => {
    const nobody = '33333333-3333-4333-8333-333333333333';
    const found = await answerTo((done) => open().findPast(nobody, list, done));
    expect(textOf(found)).toBe('{"data":[]}\n');
  });
});

describe('memory', () => {
  test('reading all history at full speed leaves current documents where they are', async () => {
    const service = open(ROOM);
    for (const path of paths) await findCurrent(service, path);
    const before = service.status();
    expect(before.cachedDocuments).toBe(paths.length);
    for (let round = 0; round < 2; round++) {
      const all = weeks.flatMap((_, week) => paths.map((path) => findPast(service, old(week, path))));
      await Promise.all(all);
      expect(service.status().cachedBytes).toBeLessThanOrEqual(ROOM);
    }
    expect(service.status().cachedDocuments).toBeGreaterThan(before.cachedDocuments);
    expect(await readsOf(() => Promise.all(paths.map((path) => findCurrent(service, path))))).toBe(0);
  });

  test('a current document evicts old ones', async () => {
    const service = open(ROOM);
    for (const path of paths) await findPast(service, old(0, path));
    for (const path of paths) await findCurrent(service, path);
    expect(await readsOf(() => Promise.all(paths.map((path) => findCurrent(service, path))))).toBe(0);
  });

  test('a formerly current document does not stay as current when it is read as history', async () => {
    const service = open(ROOM);
    for (const path of paths) await findCurrent(service, path);
    await publishWeek(store, workspaceId, '2026-11-23', own.signer);
    await service.refresh();
    const readOld = () => Promise.all(paths.map((path) => findPast(service, old(newest, path))));
    for (const path of paths) {
      await findCurrent(service, path);
      await readOld();
    }
    expect(await readsOf(() => Promise.all(paths.map((path) => findCurrent(service, path))))).toBe(0);
  });
});
