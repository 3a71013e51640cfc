import { beforeEach, describe, expect, test } from 'vitest';
import type { Question } from '../../../gateway/documents/reader.ts';
import {
  BRANDS_PATH,
  documentAt,
  documentKinds,
  documentPath,
  snapshotPrefix,
} from '../../../snapshots/layout.ts';
import { brandIds, weeks, workspaceIds } from '../../snapshots/history.ts';
import { publishWeek } from '../../snapshots/publish.ts';
import { eachDocumentService, findIn, readsOf, reopenService, textOf, withdraw } from './document-service.ts';

const [workspaceId, otherId] = workspaceIds;
const paths = brandIds.flatMap((id) => documentKinds.map((kind) => documentPath(id, kind)));
/** For the documents of one snapshot and a few more. */
const cacheBytes = (paths.length + 5) * 4600;
const list = { of: 'list' } as const;

const each = eachDocumentService();
/** Of the first workspace, oldest first. */
let ids: string[];

beforeEach(async () => {
  ids = [];
  for (const week of weeks) ids.push(await publishWeek(each.log, workspaceId, week));
  await publishWeek(each.log, otherId, weeks[0]);
});

const findPast = async (question: Question, id: string = workspaceId) =>
  await each.service.find(id, question);
const findCurrent = async (path: string) => await findIn(each.service, path, workspaceId);
const reads = async (work: () => Promise<unknown>) => await readsOf(each, work);
const old = (week: number, path = BRANDS_PATH): Question => ({
  of: 'document',
  snapshotId: ids[week]!,
  document: documentAt(path),
});
const proof = (week: number): Question => ({ of: 'proof', snapshotId: ids[week]! });

describe('an old document', () => {
  test('costs one read more the first time, and is not kept: each client asks once', async () => {
    await findPast(list);
    expect(await reads(async () => await findPast(old(0)))).toEqual({ manifest: 1, document: 1 });
    expect(await reads(async () => await findPast(old(0, paths[0])))).toEqual({ document: 1 });
    expect(await reads(async () => await findPast(old(0)))).toEqual({ document: 1 });
  });

  test.each(['.manifest.json', BRANDS_PATH])('is never served after %s was altered', async (name) => {
    await findPast(list);
    const prefix = snapshotPrefix(workspaceId, ids[0]!);
    const key = [...each.objects.keys()].find((found) => found.startsWith(prefix) && found.endsWith(name));
    each.objects.set(key!, Buffer.from('{"data":"another"}\n'));
    await expect(findPast(old(0))).rejects.toThrow(name);
    expect(textOf(await findPast(old(1)))).toContain(weeks[1]);
  });
});

/** What the list says of a week. */
const entryOf = async (week: number) => {
  const { data } = JSON.parse(textOf(await findPast(list))!) as { data: { id: string }[] };
  return data.find(({ id }) => id === ids[week]);
};

describe('a withdrawn snapshot', () => {
  test.each([
    ['mistaken', { documents: true, proof: true }],
    ['pruned', { documents: false, proof: true }],
    ['lost', { documents: false, proof: false }],
  ] as const)('as %s is listed, and serves what is left, also before a refresh', async (reason, left) => {
    await findPast(old(0));
    await findPast(proof(0));
    expect(await entryOf(0)).toMatchObject({ isPruned: false, withdrawn: null });
    await withdraw(each.log, workspaceId, ids[0]!, reason);
    await each.service.refresh();
    expect(await entryOf(0)).toMatchObject({
      isPruned: reason === 'pruned',
      isCurrent: false,
      withdrawn: reason,
      sequence: 1,
      brands: 2,
    });
    expect((await findPast(old(0))) !== null).toBe(left.documents);
    expect((await findPast(proof(0))) !== null).toBe(left.proof);
    expect(await findPast(old(2))).not.toBeNull();
  });

  test('as removed is neither listed nor served nor proved', async () => {
    await findPast(old(0));
    await findPast(proof(0));
    await withdraw(each.log, workspaceId, ids[0]!, 'removed');
    await each.service.refresh();
    expect(await entryOf(0)).toBeUndefined();
    expect(await entryOf(1)).toMatchObject({ withdrawn: null, sequence: 2 });
    for (const question of [old(0), proof(0)]) expect(await findPast(question)).toBeNull();
  });

  test('is not an error if it is requested before the gateway knows that its documents are gone', async () => {
    await findPast(list);
    await withdraw(each.log, workspaceId, ids[0]!, 'pruned');
    for (const key of each.objects.keys())
      if (key.startsWith(`${snapshotPrefix(workspaceId, ids[0]!)}brands`)) each.objects.delete(key);
    expect(await findPast(old(0))).toBeNull();
    expect(await findPast(proof(0))).not.toBeNull();
  });
});

test('the list of snapshots costs the same reads for any length of history, and none when warm', async () => {
  await each.service.refresh();
  const cold = { history: 1, manifest: 1 };
  expect(await reads(async () => await findPast(list))).toEqual(cold);
  expect(await reads(async () => await findPast(list, otherId))).toEqual(cold);
  expect(await reads(async () => await findPast(list))).toEqual({});
  await each.service.refresh();
  expect(await reads(async () => await findPast(list))).toEqual({});
});

test('reading all history at full speed leaves current documents in memory', async () => {
  reopenService(each, { cacheBytes });
  for (const path of paths) await findCurrent(path);
  const before = each.service.status();
  expect(before.cachedDocuments).toBe(paths.length);
  await Promise.all(weeks.flatMap((_, week) => paths.map((path) => findPast(old(week, path)))));
  expect(each.service.status()).toEqual(before);
  expect(await reads(() => Promise.all(paths.map((path) => findCurrent(path))))).toEqual({});
});
