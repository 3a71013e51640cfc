import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { headsKey, historyKey } from '../../../snapshots/layout.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { encodeHeads, encodeHistory } from '../../../snapshots/log/history.ts';
import { snapshotOf } from '../log/entries.ts';
import { copyOf } from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { auditedPlace, entriesIn, otherId, verified, workspaceId, writeLog } from './audited.ts';

let place: Place;
let mistakenId: string;
beforeAll(async () => {
  ({ place, mistakenId } = await auditedPlace());
});

const published = (entries: LogEntry[], sequence: number) =>
  entries.find((each) => each.kind === 'published' && each.sequence === sequence)!;

/** The newest publication of the first workspace, as the next one of it. */
const newest = (entries: LogEntry[]) =>
  ({ ...published(entries, 4), at: entries.at(-1)!.at, sequence: 5 }) as LogEntry & { kind: 'published' };

const withdrawal = (entries: LogEntry[], snapshotId: string): LogEntry => ({
  kind: 'withdrawn',
  at: entries.at(-1)!.at,
  workspaceId: otherId,
  snapshotId,
  reason: 'mistaken',
  history: sha256('x'),
});

describe('the rules of the log hold for its own key, too:', () => {
  test.each<[string, (entries: LogEntry[]) => LogEntry[], RegExp]>([
    [
      'an entry left out',
      (all) => all.filter((each) => each !== published(all, 2)),
      /heads that it names do not follow/,
    ],
    [
      'a workspace left out',
      (all) => all.filter((each) => !('workspaceId' in each) || each.workspaceId !== otherId),
      /heads that it names do not follow/,
    ],
    [
      'a later time of publication',
      (all) => all.map((each, index) => (index === 0 ? { ...each, at: '2099-01-01T00:00:00.000Z' } : each)),
      /./,
    ],
    [
      'another manifest',
      (all) =>
        all.map((each) => (each.kind === 'published' ? { ...each, manifestSha256: sha256('x') } : each)),
      /names a history that does not follow/,
    ],
    [
      'heads of nothing',
      (all) => [...all, { kind: 'heads', at: all.at(-1)!.at, heads: sha256('x') }],
      /heads that it names do not follow/,
    ],
    [
      'a time that decreases',
      (all) => [...all, { ...all.at(-1)!, at: '2020-01-01T00:00:00.000Z' }],
      /is before that of the entry before it/,
    ],
    [
      'a sequence that begins again',
      (all) => [...all, { ...newest(all), sequence: 1, snapshotId: snapshotOf(99) }],
      /is publication 1 after 4 others/,
    ],
    ['a snapshot that is published twice', (all) => [...all, newest(all)], /is published twice/],
    [
      'a snapshot that was withdrawn and is published again',
      (all) => [...all, { ...newest(all), workspaceId: otherId, sequence: 5, snapshotId: mistakenId }],
      /is published twice/,
    ],
    [
      'a withdrawal of what was never published',
      (all) => [...all, withdrawal(all, snapshotOf(99))],
      /was never published/,
    ],
    [
      'a second withdrawal that takes no more than the first',
      (all) => [...all, withdrawal(all, mistakenId)],
      /is withdrawn twice/,
    ],
  ])('%s', async (_, change, message) => {
    const copy = copyOf(place);
    writeLog(copy, change(await entriesIn(copy)), copy.signer);
    const damaged = (await verified(copy)).problems.filter(({ kind }) => kind === 'log_damaged');
    expect(damaged.map((problem) => problem.message).join('\n')).toMatch(message);
  });

  test('a manifest that does not belong where the log names it', async () => {
    const copy = copyOf(place);
    const [entry] = await entriesIn(copy);
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
