import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { currentOf } from '../../../snapshots/log/history.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { historiesPrefix, snapshotPrefix, workspacePrefix } from '../../../snapshots/layout.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import type { WithdrawOptions } from '../../../snapshots/withdraw/withdraw.ts';
import { copyOf } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishWeek } from '../publish.ts';
import { auditedPlace, documentOf, kindsOf, verified, workspaceId } from '../verify/audited.ts';
import type { Audited } from '../verify/audited.ts';

let audited: Audited;
let ids: string[];
let place: Place;
beforeAll(async () => {
  audited = await auditedPlace();
  ({ ids } = audited);
});
beforeEach(() => {
  place = copyOf(audited.place);
});

const withdraw = async (which: WithdrawOptions['which'], reason: WithdrawOptions['reason']) =>
  (await withdrawSnapshots(place, { workspaceId, which, reason })).snapshotIds;
const one = (reference: string) => ({ reference });

async function currentId(at = place): Promise<string | undefined> {
  const view = (await readLog(at.store, at))!;
  return currentOf((await readHistory(at.store, view, workspaceId))!)?.snapshotId;
}

const notesOf = async (snapshotId: string) =>
  (await verified(place)).notes.filter((note) => note.snapshotId === snapshotId).map(({ kind }) => kind);

const manifestsOf = (snapshotId: string) =>
  [...place.objects.store.keys()].filter((key) => key.includes(snapshotId) && key.endsWith('.manifest.json'));

function deleteOf(part: string): void {
  for (const key of place.objects.store.keys()) if (key.includes(part)) place.objects.store.delete(key);
}

describe('lost', () => {
  test('is refused while everything is there, in the log and in the store', async () => {
    const before = copyOf(place).objects;
    await expect(withdraw(one(ids[3]!), 'lost')).rejects.toThrow(
      /is there, with the published bytes: it is not lost/,
    );
    await expect(withdraw(one(ids[0]!), 'lost')).rejects.toThrow(/it is not lost/); // pruned, and its manifest is there
    expect(await withdraw('lost', 'lost')).toEqual([]);
    expect(place.objects).toEqual(before);
  });

  test.each<[string, (id: string) => void]>([
    ['a document is missing', (id) => place.objects.store.delete(documentOf(workspaceId, id))],
    ['the manifest was altered', (id) => place.objects.store.set(manifestsOf(id)[0]!, Buffer.from('x'))],
    ['everything is missing', (id) => deleteOf(id)],
  ])('is a note in place of the problem, if %s', async (_, harm) => {
    harm(ids[2]!);
    expect((await verified(place)).isIntact).toBe(false);
    expect(await withdraw(one('2026-11-09'), 'lost')).toEqual([ids[2]]);
    expect((await verified(place)).problems).toEqual([]);
    expect(await notesOf(ids[2]!)).toEqual(['lost']);
    await expect(withdraw(one(ids[2]!), 'lost')).rejects.toThrow(/was withdrawn before: lost/);
  });

  test('can be said at once of all that are', async () => {
    for (const id of [ids[1]!, ids[3]!]) place.objects.store.delete(documentOf(workspaceId, id));
    expect(await withdraw('lost', 'lost')).toEqual([ids[1], ids[3]]);
    expect((await verified(place)).problems).toEqual([]);
    expect(await currentId()).toBe(ids[2]);
  });

  test('is refused if nothing of the workspace can be read: the store may be away', async () => {
    deleteOf(`${workspacePrefix(workspaceId)}snapshots/`);
    for (const which of ['lost', one(ids[3]!)] as const)
      await expect(withdraw(which, 'lost')).rejects.toThrow(
        /nothing of workspace .* can be read .*is the store mounted/,
      );
  });
});

describe('mistaken', () => {
  test('makes the one before current again; everything stays, and its id is never published again', async () => {
    const before = [...place.objects.store.keys()].filter((key) => key.includes('/snapshots/'));
    expect(await withdraw(one('current'), 'mistaken')).toEqual([ids[3]]);
    expect(await currentId()).toBe(ids[2]);
    expect([...place.objects.store.keys()]).toEqual(expect.arrayContaining(before));
    expect(await notesOf(ids[3]!)).toEqual(['mistaken']);
    await expect(publishWeek(place, workspaceId, '2026-11-16')).rejects.toThrow(/was withdrawn: mistaken/);
    place.objects.store.delete(documentOf(workspaceId, ids[3]!));
    expect(kindsOf((await verified(place)).problems)).toEqual(['missing']);
  });
});

describe('removed', () => {
  test('deletes everything of a workspace but its newest history', async () => {
    expect(await withdraw('all', 'removed')).toEqual(ids);
    const left = [...place.objects.store.keys()].filter((key) =>
      key.startsWith(workspacePrefix(workspaceId)),
    );
    expect(left).toEqual([expect.stringContaining(historiesPrefix(workspaceId))]);
    const { problems, notes, checked } = await verified(place);
    expect([problems, checked.workspaces]).toEqual([[], 2]);
    expect(notes.filter(({ kind }) => kind === 'removed').map(({ snapshotId }) => snapshotId)).toEqual(ids);
    expect(await currentId()).toBeUndefined();
    expect(await withdraw('all', 'removed')).toEqual([]);
  });

  test('deletes what killed publications left of it, too', async () => {
    const left = [
      `${workspacePrefix(workspaceId)}snapshots/20270101T000000.000Z-0123456789abcdef/brands.json`,
      `${historiesPrefix(workspaceId)}${'0'.repeat(64)}.json`,
    ];
    for (const key of left) place.objects.store.set(key, Buffer.from('left'));
    await withdraw('all', 'removed');
    expect(left.filter((key) => place.objects.store.has(key))).toEqual([]);
    expect(kindsOf((await verified(place)).notes)).not.toContain('unpublished');
  });

  test('leaves what no command writes: it may be behind a link to something else', async () => {
    const stray = `${snapshotPrefix(workspaceId, ids[3]!)}x/brands.json`;
    place.objects.store.set(stray, Buffer.from('of others'));
    await withdraw('all', 'removed');
    expect((await verified(place)).problems).toMatchObject([{ kind: 'extra', objects: [stray] }]);
  });

  test('does not delete a history that a publication is about to name', async () => {
    const raced = copyOf(audited.place);
    const { store } = raced;
    let isPublished = false;
    const during: typeof store = {
      ...store,
      async delete(key) {
        if (!isPublished) {
          isPublished = true;
          await publishWeek(raced, workspaceId, '2026-11-23');
        }
        await store.delete(key);
      },
    };
    await withdrawSnapshots({ ...raced, store: during }, { workspaceId, which: 'all', reason: 'removed' });
    expect((await verified(raced)).problems).toEqual([]);
    expect(await currentId(raced)).toMatch(/^20261123/);
  });
});

test('a workspace or snapshot that the log does not have is a mistake', async () => {
  await expect(withdraw(one('2020-01-01'), 'mistaken')).rejects.toThrow(/has no snapshot 2020-01-01/);
  const unknown = {
    workspaceId: '99999999-3a6e-4f0f-9c57-0c8f7a5a1c09',
    which: 'all',
    reason: 'removed',
  } as const;
  await expect(withdrawSnapshots(place, unknown)).rejects.toThrow(/the log has no snapshot of workspace/);
});
