import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { CHECKPOINT_KEY, TILES, headsKey, historyKey, snapshotPrefix } from '../../../snapshots/layout.ts';
import { encodeEntry } from '../../../snapshots/log/entries.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { encodeHeads, encodeHistory } from '../../../snapshots/log/history.ts';
import { signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { readCheckpoint, readEntries } from '../../../snapshots/log/read.ts';
import { rootOfEdge } from '../../../snapshots/log/tree/edge.ts';
import { emptyLogEdge, growLog } from '../../../snapshots/log/write/grow.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { copyOf, newSigner, putBack } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishWeek } from '../publish.ts';
import { auditedPlace, kindsOf, otherId, verified, workspaceId } from './audited.ts';
import type { Audited } from './audited.ts';

let audited: Audited;
let place: Place;
beforeAll(async () => {
  audited = await auditedPlace();
  ({ place } = audited);
});

async function entriesOf({ store }: Place): Promise<LogEntry[]> {
  const { size } = (await readCheckpoint(store))!;
  return (await Array.fromAsync(readEntries(store, size))).map(({ entry }) => entry as LogEntry);
}

/** Replaces the log by one of these entries, with all its tiles. */
function writeLog({ objects: { store }, origin }: Place, entries: readonly LogEntry[], by: Signer): void {
  for (const key of store.keys()) if (key.startsWith(TILES)) store.delete(key);
  const { objects, edge } = growLog(emptyLogEdge, entries.map(encodeEntry));
  for (const { key, bytes } of objects) store.set(key, Buffer.from(bytes));
  const head = { origin, size: edge.size, root: rootOfEdge(edge) };
  store.set(CHECKPOINT_KEY, Buffer.from(formatNote(signedHead(head, [by]).note)));
}

const problemsOf = async (at: Place) => kindsOf((await verified(at)).problems);

describe('whoever can write to the store, but has no key,', () => {
  test('cannot append, shorten or rewrite the log', async () => {
    const thief = await newSigner();
    const entries = await entriesOf(place);
    for (const forged of [entries, entries.slice(0, 9), entries.slice(3), [...entries, entries.at(-1)!]]) {
      const copy = copyOf(place);
      writeLog(copy, forged, thief);
      expect(await problemsOf(copy)).toContain('log_unsigned');
    }
  });

  test('cannot declare that documents were withdrawn', async () => {
    const copy = { ...copyOf(place), signer: await newSigner() };
    const prune = pruneSnapshots(copy, { keep: [{ newest: 1 }], isDryRun: false });
    await expect(prune).rejects.toThrow(/the log is signed with the key/);
    for (const key of copy.objects.store.keys())
      if (key.startsWith(snapshotPrefix(workspaceId, audited.ids[1]!)) && /brands/.test(key))
        copy.objects.store.delete(key);
    expect(await problemsOf(copy)).toEqual(['missing']);
  });
});

const published = (entries: LogEntry[], sequence: number) =>
  entries.find((each) => each.kind === 'published' && each.sequence === sequence)!;

describe('the rules of the log hold for its own key, too:', () => {
  test.each<[string, (entries: LogEntry[]) => LogEntry[], string]>([
    ['an entry twice', (all) => [...all, published(all, 1)], 'log_damaged'],
    ['an entry left out', (all) => all.filter((each) => each !== published(all, 2)), 'log_damaged'],
    ['entries in another order', (all) => all.toReversed(), 'log_damaged'],
    [
      'a workspace left out',
      (all) => all.filter((each) => !('workspaceId' in each) || each.workspaceId !== otherId),
      'log_damaged',
    ],
    [
      'a later time of publication',
      (all) => all.map((each, index) => (index === 0 ? { ...each, at: '2099-01-01T00:00:00.000Z' } : each)),
      'log_damaged',
    ],
    [
      'another manifest',
      (all) =>
        all.map((each) => (each.kind === 'published' ? { ...each, manifestSha256: sha256('x') } : each)),
      'log_damaged',
    ],
    [
      'heads of nothing',
      (all) => [...all, { kind: 'heads', at: all.at(-1)!.at, heads: sha256('x') }],
      'log_damaged',
    ],
  ])('%s', async (_, change, kind) => {
    const copy = copyOf(place);
    writeLog(copy, change(await entriesOf(copy)), copy.signer);
    expect(await problemsOf(copy)).toContain(kind);
  });

  test('a manifest that does not belong where the log names it', async () => {
    const copy = copyOf(place);
    const [entry] = await entriesOf(copy);
    if (entry?.kind !== 'published') throw new Error('expected a publication');
    const { kind: _, history: __, at: publishedAt, workspaceId: ___, ...described } = entry;
    const publications = [{ ...described, publishedAt, withdrawn: null }];
    const history = encodeHistory({ format: 1, workspaceId: otherId, publications });
    const heads = encodeHeads(new Map([[otherId, sha256(history)]]));
    const forged: LogEntry[] = [
      { ...entry, workspaceId: otherId, history: sha256(history) },
      { kind: 'heads', at: publishedAt, heads: sha256(heads) },
    ];
    const { store } = copy.objects;
    for (const key of store.keys()) if (!key.includes(entry.snapshotId)) store.delete(key);
    for (const [key, bytes] of store) store.set(key.replace(workspaceId, otherId), bytes);
    for (const key of store.keys()) if (key.includes(workspaceId)) store.delete(key);
    store.set(historyKey(otherId, sha256(history)), history).set(headsKey(sha256(heads)), heads);
    writeLog(copy, forged, copy.signer);
    expect((await verified(copy)).problems).toMatchObject([
      {
        kind: 'named_altered',
        message: expect.stringMatching(/does not belong here: this is a manifest of/) as string,
      },
    ]);
  });
});

describe('after rotations', () => {
  let rotated: Place;
  let stolen: Place;
  let keys: Signer[];
  beforeAll(async () => {
    keys = [place.signer, await newSigner(), await newSigner()];
    stolen = copyOf(place);
    rotated = copyOf(place);
    for (const [index, week] of ['2026-11-23', '2026-11-30'].entries()) {
      await rotateLog(rotated, keys[index + 1]!);
      rotated = { ...rotated, signer: keys[index + 1]!, trust: keys[index + 1]!.trust };
      await publishWeek(rotated, workspaceId, week);
    }
  });

  test('a reader with only the new key finds all weeks intact', async () => {
    const { isIntact, checked } = await verified(rotated);
    expect([isIntact, checked.snapshots]).toEqual([true, 10]);
    for (const { trust } of keys.slice(0, 2))
      expect(kindsOf((await verified({ ...rotated, trust })).problems)).toEqual(['log_unsigned']);
  });

  test('nothing is believed that a thief signs with a retired key', async () => {
    const entries = await entriesOf(rotated);
    for (const retired of keys.slice(0, 2)) {
      const copy = { ...copyOf(rotated), trust: rotated.trust };
      writeLog(copy, entries, retired);
      expect(await problemsOf(copy)).toEqual(['log_unsigned']);
      const publisher = { ...copy, signer: retired };
      await expect(publishWeek(publisher, workspaceId, '2026-12-07')).rejects.toThrow(/the log is signed/);
    }
    const forked = { ...copyOf(rotated), trust: rotated.trust };
    await pruneSnapshots(stolen, { keep: [{ newest: 1 }], isDryRun: false });
    putBack(forked, stolen);
    expect(await problemsOf(forked)).toEqual(['log_unsigned']);
  });

  test('a kept checkpoint of before, signed with the old key, is still worth something', async () => {
    const head = (await readCheckpoint(place.store))!;
    const report = await verifyStore(rotated.store, {
      identity: rotated,
      now: Date.UTC(2026, 11, 20),
      kept: [{ head, name: 'of the old key' }],
    });
    expect(report.problems).toEqual([]);
    const shorter = { ...head, root: Buffer.alloc(32) };
    const kept = [{ head: shorter, name: 'another' }];
    expect(kindsOf((await verified(rotated, { kept })).problems)).toEqual(['log_rewritten']);
  });
});
