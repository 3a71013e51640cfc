import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { documentService } from '../../../gateway/documents/documents.ts';
import type { DocumentService, Found, FoundCallback } from '../../../gateway/documents/documents.ts';
import type { PastQuestion } from '../../../gateway/documents/history.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { BRANDS_PATH, pointerKey, receiptKey, signatureKey } from '../../../snapshots/layout.ts';
import { readPointer } from '../../../snapshots/read.ts';
import { makeTestKeys, publishWeek, workspaceIds } from '../../snapshots/history.ts';
import type { Keys } from '../../snapshots/history.ts';
import { temporaryFolder } from '../../support/folder.ts';

const [workspaceId] = workspaceIds;
let root: string;
let store: ObjectStore;
let own: Keys;
let thief: Keys;
let kept: string[];

beforeEach(async () => {
  root = await temporaryFolder();
  await mkdir(join(root, 'store'));
  store = directoryStore(join(root, 'store'));
  own = await makeTestKeys(root, 'own');
  thief = await makeTestKeys(root, 'thief');
  kept = [];
});

function open(trust = own.trust): DocumentService {
  const service = documentService(store, {
    cacheBytes: 1 << 20,
    refreshSeconds: 3600,
    trust,
    observer: {
      cacheHit: () => undefined,
      cacheMiss: () => undefined,
      snapshotKept: (_id, reason) => void kept.push(String(reason)),
      snapshotChanged: () => undefined,
    },
  });
  onTestFinished(() => service.close());
  return service;
}

const asked = async (ask: (callback: FoundCallback) => void): Promise<Found | null> =>
  await new Promise((resolve, reject) => {
    ask((error, found) => {
      if (error === null || error === undefined) resolve(found);
      else reject(error);
    });
  });
const find = async (service: DocumentService) =>
  await asked((callback) => service.find(workspaceId, BRANDS_PATH, callback));
const findPast = async (service: DocumentService, question: PastQuestion) =>
  await asked((callback) => service.findPast(workspaceId, question, callback));

test('a snapshot that a trusted key signed is served', async () => {
  const snapshotId = await publishWeek(store, workspaceId, '2026-11-09', own.signer);
  expect(await find(open())).toMatchObject({ snapshotId });
});

test.each([
  ['unsigned', /is not signed/, () => undefined],
  ['signed with another key', /signed with a key that is not trusted/, () => thief.signer],
])('a snapshot that is %s is refused', async (_, message, signer) => {
  await publishWeek(store, workspaceId, '2026-11-09', signer());
  await expect(find(open())).rejects.toThrow(message);
});

test.each([
  ['has lost its signature', /has lost its signature/, async (file: string) => await rm(file)],
  [
    'has a signature over something else',
    /not over its manifest/,
    async (file: string) => await writeFile(file, own.signer.sign(Buffer.from('else'))),
  ],
])('a snapshot that %s is refused', async (_, message, harm) => {
  await publishWeek(store, workspaceId, '2026-11-09', own.signer);
  const pointer = (await readPointer(store, workspaceId))!;
  await harm(join(root, 'store', signatureKey(workspaceId, pointer.snapshotId, pointer.manifestSha256)));
  await expect(find(open())).rejects.toThrow(message);
});

test('the last good snapshot stays in service until a newer one is signed', async () => {
  const good = await publishWeek(store, workspaceId, '2026-11-02', own.signer);
  const service = open();
  expect(await find(service)).toMatchObject({ snapshotId: good });
  await publishWeek(store, workspaceId, '2026-11-09');
  await service.refresh();
  expect(await find(service)).toMatchObject({ snapshotId: good });
  expect(service.status().workspaces).toMatchObject([{ workspaceId, state: 'kept' }]);
  expect(kept).toEqual([expect.stringContaining('is not signed')]);
  const next = await publishWeek(store, workspaceId, '2026-11-16', own.signer);
  await service.refresh();
  expect(await find(service)).toMatchObject({ snapshotId: next });
  expect(service.status().workspaces).toMatchObject([{ state: 'current' }]);
});

test('after a change of keys, gateways serve the week before until they get the new key, and then all weeks', async () => {
  const next = await makeTestKeys(root, 'next');
  const before = await publishWeek(store, workspaceId, '2026-11-09', own.signer);
  const service = open();
  expect(await find(service)).toMatchObject({ snapshotId: before });
  const after = await publishWeek(store, workspaceId, '2026-11-16', next.signer);
  await service.refresh();
  expect(await find(service)).toMatchObject({ snapshotId: before });
  expect(kept).toEqual([expect.stringContaining('signed with a key that is not trusted')]);
  const restarted = open(next.trust);
  expect(await find(restarted)).toMatchObject({ snapshotId: after });
  for (const path of [BRANDS_PATH, null])
    expect(await findPast(restarted, { of: 'snapshot', snapshotId: before, path })).toMatchObject({
      snapshotId: before,
    });
  await publishWeek(store, workspaceId, '2026-11-23', own.signer);
  await restarted.refresh();
  expect(await find(restarted)).toMatchObject({ snapshotId: after });
});

test('a pointer that is set back never replaces a newer snapshot; the next snapshot of the chain does', async () => {
  const pointer = join(root, 'store', pointerKey(workspaceId));
  await publishWeek(store, workspaceId, '2026-11-02', own.signer);
  const old = await readFile(pointer);
  const good = await publishWeek(store, workspaceId, '2026-11-09', own.signer);
  const newest = await readFile(pointer);
  const service = open();
  expect(await find(service)).toMatchObject({ snapshotId: good });
  await writeFile(pointer, old);
  await service.refresh();
  expect(await find(service)).toMatchObject({ snapshotId: good });
  expect(service.status().workspaces).toMatchObject([{ state: 'kept' }]);
  expect(kept).toEqual([expect.stringContaining('does not come after')]);
  await writeFile(pointer, newest);
  await publishWeek(store, workspaceId, '2026-11-16', own.signer);
  const latest = await publishWeek(store, workspaceId, '2026-11-23', own.signer);
  const again = open();
  await find(again);
  expect(await find(again)).toMatchObject({ snapshotId: latest });
});

test('a lost pointer is an error for a gateway that starts, and never a workspace without brands', async () => {
  const snapshotId = await publishWeek(store, workspaceId, '2026-11-02', own.signer);
  await rm(join(root, 'store', pointerKey(workspaceId)));
  await expect(find(open())).rejects.toThrow(/has snapshots in .*, but no pointer/);
  await rm(join(root, 'store', receiptKey(workspaceId, snapshotId)));
  await expect(find(open())).rejects.toThrow(/has snapshots in .*, but no pointer/);
});
