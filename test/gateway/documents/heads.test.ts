import { beforeEach, describe, expect, test, vi } from 'vitest';
import { Unreachable } from '../../../lib/failure.ts';
import { CHECKPOINT_KEY, documentPath } from '../../../snapshots/layout.ts';
import { parseCheckpoint, signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import { makeTestKeys } from '../../snapshots/history.ts';
import { memoryStore } from '../../support/memory-store.ts';
import type { Objects } from '../../support/memory-store.ts';
import { copyOf, eachDocumentService, findIn, putBack, reopenService } from './document-service.ts';
import { workspaceId } from './document-service.ts';
import { acme, publishBrands } from '../snapshots.ts';

const renamed = { ...acme, name: 'Acme Corporation' };
const otherId = '22222222-2222-4222-8222-222222222222';
const SECOND = '2026-11-23T06:00:00.000Z';
const prompts = documentPath(acme.id, 'prompts');
const each = eachDocumentService();
const away = new Unreachable('it is away');
const find = async (id?: string) => await findIn(each, prompts, { ...(id && { id }) });
const sizeOf = (note: string | null) => parseCheckpoint(Buffer.from(note!), 'a note').size;
const keptSize = async () => sizeOf(await each.records.readCheckpoint(each.log.origin));
const shownSize = () => sizeOf(each.objects.get(CHECKPOINT_KEY)!.toString());

/** Signs what the store's checkpoint says, or something else, with a key. */
const resign = (signer = each.log.signer, change: { size?: number; root?: Buffer; origin?: string } = {}) => {
  const checkpoint = parseCheckpoint(each.objects.get(CHECKPOINT_KEY)!, 'the checkpoint');
  const { note } = signedHead({ ...checkpoint, ...change }, [signer]);
  each.objects.set(CHECKPOINT_KEY, Buffer.from(formatNote(note)));
};

describe('a head that cannot be accepted', () => {
  let second: string;
  let older: Objects;
  let newest: Objects;
  /** From the older state on, with the right key. */
  let fork: Objects;
  beforeEach(async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    older = copyOf(each);
    fork = copyOf(each);
    const lake = memoryStore(new Map(each.lakeObjects), 'another lake');
    const thief = { ...each.log, store: memoryStore(fork, 'a fork'), lake };
    await publishBrands(thief, otherId, [acme]);
    second = await publishBrands(each.log, workspaceId, [renamed], SECOND);
    newest = copyOf(each);
    await find();
  });

  const harms: [string, () => unknown, RegExp][] = [
    ['is deleted', () => each.objects.delete(CHECKPOINT_KEY), /log\/checkpoint is missing/],
    ['is of an older state of the whole store', () => putBack(each, older), /an older state/],
    ['is of a fork of the same size', () => putBack(each, fork), /rewritten/],
    [
      'is of another log',
      () => resign(each.log.signer, { origin: 'x.example/log' }),
      /is of the log x\.example/,
    ],
    ['is no checkpoint', () => each.objects.set(CHECKPOINT_KEY, Buffer.from('{}')), /is not a signed note/],
    ['is huge', () => each.objects.set(CHECKPOINT_KEY, Buffer.alloc(70_000)), /has more than 65536 bytes/],
    [
      'has lost its signature, and has another one',
      async () => resign((await makeTestKeys(each.log.root, 'thief')).signer),
      /is not signed with a trusted key/,
    ],
    [
      'names entries that are not there',
      () => resign(each.log.signer, { size: shownSize() + 1 }),
      /log\/tile\/\S+ is missing/,
    ],
    ['cannot be read', () => vi.spyOn(each.log.store, 'get').mockRejectedValue(away), /away/],
  ];

  test.each(harms)(
    'because it %s leaves what is in service, with one alarm, and is an error after a restart, never an old state',
    async (_what, harm, reason) => {
      await harm();
      for (let round = 0; round < 3; round++) await each.service.refresh();
      expect(each.events.kept).toEqual([expect.stringMatching(reason)]);
      expect(each.service.status().workspaces).toMatchObject([{ workspaceId, state: 'kept' }]);
      expect(String(each.service.trouble())).toMatch(reason);
      expect(await find()).toMatchObject({ snapshotId: second });
      reopenService(each);
      for (const id of [workspaceId, otherId]) await expect(find(id)).rejects.toThrow(reason);
      expect(each.service.hasHead()).toBe(false);
      expect(each.events.kept).toHaveLength(1);
      expect(await keptSize()).toBe(sizeOf(newest.get(CHECKPOINT_KEY)!.toString()));
      vi.restoreAllMocks();
      putBack(each, newest);
      expect(await find()).toMatchObject({ snapshotId: second });
      expect(await find(otherId)).toBeNull();
      expect(each.service.trouble()).toBeNull();
    },
  );

  test('is refused by a gateway that has not seen the newest head, because another one has', async () => {
    const seen = (await each.records.forgetCheckpoint(each.log.origin)).note;
    putBack(each, older);
    reopenService(each);
    const first = await find();
    await each.records.keepCheckpoint(each.log.origin, sizeOf(seen), seen);
    putBack(each, fork);
    await each.service.refresh();
    expect(each.events.kept).toEqual([expect.stringMatching(/rewritten/)]);
    expect(await find()).toMatchObject({ snapshotId: first!.snapshotId });
    putBack(each, newest);
    await each.service.refresh();
    expect(await find()).toMatchObject({ snapshotId: second });
  });
});

describe('what gateways keep', () => {
  test('is each head that was read whole, once, and nothing else', async () => {
    const keep = vi.spyOn(each.records, 'keepCheckpoint');
    await publishBrands(each.log, workspaceId, [acme]);
    await each.service.refresh();
    const before = await keptSize();
    expect(before).toBe(shownSize());
    await publishBrands(each.log, workspaceId, [renamed], SECOND);
    for (const key of each.objects.keys()) if (key.startsWith('log/tile/entries/')) each.objects.delete(key);
    await each.service.refresh();
    expect([await keptSize(), keep.mock.calls.length]).toEqual([before, 1]);
  });

  test('is needed by a gateway that starts, and is written later if the records are away', async () => {
    await publishBrands(each.log, workspaceId, [acme]);
    const read = vi.spyOn(each.records, 'readCheckpoint').mockRejectedValue(away);
    await expect(find()).rejects.toThrow('it is away');
    read.mockRestore();
    expect(await find()).not.toBeNull();
    for (const name of ['readCheckpoint', 'keepCheckpoint'] as const)
      vi.spyOn(each.records, name).mockRejectedValue(away);
    const second = await publishBrands(each.log, workspaceId, [renamed], SECOND);
    await each.service.refresh();
    expect(await find()).toMatchObject({ snapshotId: second });
    expect(each.events.kept).toHaveLength(1); // of the start
    vi.restoreAllMocks();
    expect(await keptSize()).toBeLessThan(shownSize());
    await each.service.refresh();
    expect(await keptSize()).toBe(shownSize());
  });
});

test('after a change of keys a gateway with the old one serves what it has, and one with the new one everything', async () => {
  const first = await publishBrands(each.log, workspaceId, [acme]);
  await find();
  const { signer, trust } = await makeTestKeys(each.log.root, 'next');
  await commitToLog(each.log, async () => ({ drafts: [], nextSigner: signer }));
  const second = await publishBrands({ ...each.log, signer }, workspaceId, [renamed], SECOND);
  await each.service.refresh();
  expect(await find()).toMatchObject({ snapshotId: first });
  expect(each.events.kept).toEqual([expect.stringContaining('is not signed with a trusted key')]);
  reopenService(each, { trust: async () => trust });
  expect(await find()).toMatchObject({ snapshotId: second });
  resign(each.log.signer); // the old key's thief
  await each.service.refresh();
  expect(each.events.kept).toEqual([expect.stringContaining('is not signed with a trusted key')]);
});
