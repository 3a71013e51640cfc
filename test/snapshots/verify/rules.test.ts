import { beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { committedKey, manifestKey } from '../../../snapshots/layout.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { currentOf } from '../../../snapshots/log/history.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import {
  copyOf,
  newSigner,
  placeOf,
  publishAll,
  smallContent,
  withdraw,
  workspaceOf,
} from '../log/places.ts';
import type { Place } from '../log/places.ts';
import { publishSnapshot } from '../publish.ts';
import { entriesIn, verified, writeLog } from './audited.ts';

// What the operator could sign, or a later version: everything here has the signature of the log's own key.

const own = workspaceOf(0);
let place: Place;
beforeEach(async () => {
  place = placeOf(await newSigner());
  await publishAll(place, 0, [0, 1]);
});

type Published = LogEntry & { kind: 'published' };
/** The first entry again, at the end, with other fields. */
const again = (all: LogEntry[], fields: Partial<Published>): LogEntry[] => [
  ...all,
  { ...(all[0] as Published), at: all.at(-1)!.at, ...fields },
];
const unknownId = '20270105T060000.000Z-0123456789abcdef';

test.each<[string, (all: LogEntry[]) => unknown[], RegExp]>([
  ['an entry left out', (all) => all.slice(1), /heads that it names do not follow/],
  [
    'another manifest',
    (all) => [{ ...all[0], manifestSha256: sha256('x') }, ...all.slice(1)],
    /names a history that does not follow/,
  ],
  [
    'a time that decreases',
    (all) => [...all, { ...all.at(-1)!, at: '2020-01-01T00:00:00.000Z' }],
    /is before that of the entry before it/,
  ],
  [
    'a sequence that begins again',
    (all) => again(all, { snapshotId: unknownId }),
    /is publication 1 after 1 others/,
  ],
  ['a snapshot that is published twice', (all) => again(all, { sequence: 2 }), /is published twice/],
  [
    'a second withdrawal that takes no more than the first',
    (all) => [...all, { ...all.find(({ kind }) => kind === 'withdrawn')!, at: all.at(-1)!.at }],
    /is withdrawn twice/,
  ],
])('the rules of the log apply to its own key, too: %s', async (_, change, message) => {
  await withdraw(place, 1);
  writeLog(place, change(await entriesIn(place)) as LogEntry[], place.signer);
  const damaged = (await verified(place)).problems.filter(({ kind }) => kind === 'log_damaged');
  expect(damaged.map((problem) => problem.message).join('\n')).toMatch(message);
});

/** The entry of a week of a workspace names, in the log, another manifest, as one of our own workspace. */
async function sign(workspace: number, change: (manifest: string) => string): Promise<void> {
  const elsewhere = copyOf(place);
  await publishAll(elsewhere, 1, [workspace]);
  const published = (await entriesIn(elsewhere)).findLast(({ kind }) => kind === 'published') as Published;
  const { snapshotId } = published;
  for (const [key, bytes] of elsewhere.objects.store) {
    if (!key.includes(snapshotId)) continue;
    place.objects.store.set(key, bytes);
    if (!key.endsWith('.manifest.json')) continue;
    const manifest = Buffer.from(change(bytes.toString()));
    const draft = { ...published, workspaceId: own, manifestSha256: sha256(manifest) };
    place.objects.store.set(manifestKey(own, snapshotId, draft.manifestSha256), manifest);
    await commitToLog(place, () => Promise.resolve({ drafts: [draft] }));
  }
}

test('a manifest of another workspace does not belong where the log names it', async () => {
  await sign(1, (text) => text);
  const message = expect.stringMatching(/does not belong here: this is a manifest of/) as string;
  expect((await verified(place)).problems).toContainEqual(
    expect.objectContaining({ kind: 'named_altered', message }),
  );
});

const added = (text: string) => text.replace(/\}(?=\n?$)/, ',"region":"eu"}');

const withDocument = async () => {
  const content = smallContent(0, 1);
  const forecast = { path: 'forecast.json', bytes: Buffer.from('{"data":[]}') };
  await publishSnapshot(place, { ...content, documents: [...content.documents, forecast] });
};
const inManifest = async () => await sign(0, added);
const entry = async () => {
  const entries = await entriesIn(place);
  const { at } = entries.at(-1)!;
  writeLog(
    place,
    [...entries, Buffer.from(JSON.stringify({ kind: 'reviewed', at })), entries.at(-1)!],
    place.signer,
  );
};

const newer: [string, () => Promise<unknown>][] = [
  ['a document', withDocument],
  ['a field of a manifest', inManifest],
  ['an entry of the log', entry],
];

describe('what a newer version wrote', () => {
  test.each(newer)(
    'is never called altered, there is no verdict, and readers go on: %s',
    async (_, write) => {
      await write();
      const { isIntact, problems, newer: unknown, checkpoint } = await verified(place);
      expect({ isIntact, problems, checkpoint }).toEqual({ isIntact: false, problems: [], checkpoint: null });
      expect(unknown.length).toBeGreaterThan(0);
      const view = (await readLog(place.store, place))!;
      expect(currentOf((await readHistory(place.store, view, own))!)).not.toBeNull();
    },
  );

  test.each(newer)('does not hide what is altered elsewhere: %s', async (_, write) => {
    await write();
    const { store } = place.objects;
    const key = [...store.keys()].find((each) => each.endsWith('/brands.json'))!;
    store.set(key, Buffer.from('altered'));
    expect((await verified(place)).problems).toMatchObject([{ kind: 'altered', objects: [key] }]);
  });

  test('is not appended to, and in the lake is neither overwritten nor taken for damage', async () => {
    const key = committedKey(place.origin);
    const text = place.objects.lake.get(key)!.toString();
    for (const changed of [text.replace('"format":1', '"format":2'), added(text)]) {
      const bytes = Buffer.from(changed);
      place.objects.lake.set(key, bytes);
      for (const work of [() => publishAll(place, 2, [0]), () => repairLog(place), () => adoptLog(place, [])])
        await expect(work()).rejects.toThrow(/was written by a newer version/);
      expect(place.objects.lake.get(key)).toBe(bytes);
    }
    place.objects.lake.clear();
    await newer.at(-1)![1]();
    await expect(adoptLog(place, [])).rejects.toThrow(
      /written by a newer version of Sightline .*upgrade this one/,
    );
  });
});
