import { beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { committedKey } from '../../../snapshots/layout.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { currentOf } from '../../../snapshots/log/history.ts';
import { readCheckpoint, readEntries } from '../../../snapshots/log/read.ts';
import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import { newSigner, placeOf, publishAll, smallContent, withdraw, workspaceOf } from '../log/places.ts';
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

const named = { manifest: /\.manifest\.json$/, history: /\/histories\//, heads: /^heads\// };
type Kind = keyof typeof named | 'entry';

/** Changes the texts of a place, and all hashes that lead to them, and appends entries. */
async function sign(change: (text: string, kind: Kind) => string, ...more: string[]): Promise<void> {
  const { store } = place.objects;
  const hashes: [string, string][] = [];
  const changed = (bytes: Buffer, kind: Kind) =>
    Buffer.from(hashes.reduce((text, [was, is]) => text.replaceAll(was, is), change(bytes.toString(), kind)));
  for (const kind of ['manifest', 'history', 'heads'] as const)
    for (const [key, bytes] of [...store].filter((object) => named[kind].test(object[0]))) {
      const next = changed(bytes, kind);
      const [was, is] = [sha256(bytes), sha256(next)];
      hashes.push([was, is]);
      store.delete(key);
      // The name of a manifest has the beginning of its hash.
      store.set(key.replace(was, is).replace(`${was.slice(0, 16)}.`, `${is.slice(0, 16)}.`), next);
    }
  const { size } = (await readCheckpoint(place.store))!;
  const entries = await Array.fromAsync(readEntries(place.store, size), ({ bytes }) =>
    changed(bytes, 'entry'),
  );
  writeLog(place, [...entries, ...more.map((text) => Buffer.from(text))], place.signer);
}

test('a manifest of another workspace does not belong where the log names it', async () => {
  const [first, second] = (await entriesIn(place)) as [Published, Published];
  const keyOf = ({ manifestSha256: hash }: Published) =>
    [...place.objects.store.keys()].find((key) => key.endsWith(`${hash.slice(0, 16)}.manifest.json`))!;
  const wrong = keyOf(first).replace(first.manifestSha256.slice(0, 16), second.manifestSha256.slice(0, 16));
  place.objects.store.set(wrong, place.objects.store.get(keyOf(second))!);
  await sign((text, kind) =>
    kind !== 'manifest' && text.includes(own)
      ? text.replace(first.manifestSha256, second.manifestSha256)
      : text,
  );
  expect((await verified(place)).problems).toContainEqual(
    expect.objectContaining({
      kind: 'named_altered',
      message: expect.stringMatching(/does not belong here: this is a manifest of/) as string,
    }),
  );
});

const added = (text: string) => text.replace(/\}(?=\n?$)/, ',"region":"eu"}');

const withDocument = async () => {
  const content = smallContent(0, 1);
  const forecast = { path: 'forecast.json', bytes: Buffer.from('{"data":[]}') };
  await publishSnapshot(place, { ...content, documents: [...content.documents, forecast] });
};
const inManifest = async () => await sign((text, kind) => (kind === 'manifest' ? added(text) : text));
const entry = async () => {
  const heads = (await entriesIn(place)).at(-1)!;
  await sign((text) => text, JSON.stringify({ kind: 'reviewed', at: heads.at }), JSON.stringify(heads));
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
