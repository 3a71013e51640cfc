import { dirname } from 'node:path';
import { sha256 } from '../../lib/hash.ts';
import { CHECKPOINT_KEY, headsKey, historyKey, manifestKey } from '../../snapshots/layout.ts';
import type { LogEntry } from '../../snapshots/log/entries.ts';
import { encodeHeads, moveHead } from '../../snapshots/log/history.ts';
import { commitToLog } from '../../snapshots/log/write/commit.ts';
import type { Objects } from '../support/memory-store.ts';
import { workspaceIds } from './history.ts';
import { copyOf, newSigner, publishAll, smallContent, workspaceOf } from './log/places.ts';
import type { Place } from './log/places.ts';
import { publishSnapshot } from './publish.ts';
import { entriesIn, writeLog } from './verify/audited.ts';

type Harm = (place: Place) => unknown;

const matching = (objects: Objects, pattern: RegExp) =>
  [...objects.keys()].filter((key) => pattern.test(key));
const remove =
  (pattern: RegExp): Harm =>
  ({ objects: { store } }) =>
    matching(store, pattern).forEach((key) => store.delete(key));
const alter =
  (pattern: RegExp, from: string | RegExp, to: string): Harm =>
  ({ objects: { store } }) =>
    matching(store, pattern).forEach((key) =>
      store.set(key, Buffer.from(store.get(key)!.toString('latin1').replaceAll(from, to), 'latin1')),
    );
/** `NEWEST` is the folder of A's newest snapshot. */
const put =
  (...keys: string[]): Harm =>
  ({ objects: { store } }) => {
    const [manifest] = matching(store, inA('manifest')) as [string];
    for (const key of keys) store.set(key.replace('NEWEST', dirname(manifest)), Buffer.from('x'));
  };

const [a] = workspaceIds;
const inA = (path: string) => new RegExp(`${a}/snapshots/20261116.*${path}`);
const unknownHash = '2d'.repeat(32);
const unknownId = '20270105T060000.000Z-0123456789abcdef';

/** What a disk, an accident or a thief without the key does to the store of `history`. */
export const damages: Record<string, Harm> = {
  'no checkpoint': remove(/^log\/checkpoint/),
  'a checkpoint of another name': alter(/^log\/checkpoint/, 'sightline', 'sigitline'),
  'a checkpoint whose name has a blank': alter(/^log\/checkpoint/, /^sightline./g, 'sightline '),
  'a checkpoint of very many entries': alter(/^log\/checkpoint/, /\n14\n/g, `\n${2 ** 53 - 1}\n`),
  'a checkpoint that is none': put(CHECKPOINT_KEY),
  'a checkpoint that is too large': alter(/^log\/checkpoint/, /$/g, 'x'.repeat(2 ** 16)),
  'a checkpoint without a dash before its signature': alter(/^log\/checkpoint/, '\u00e2\u0080\u0094', '-'),
  'a tile that is gone': remove(/tile\/0\/000\.p\/14/),
  'a tile that is altered': put('log/tile/0/000.p/14'),
  'a replaced tile that is altered': put('log/tile/0/000.p/12'),
  'a bundle of entries that is gone': remove(/tile\/entries\/000\.p\/14/),
  'an entry that is altered': alter(/tile\/entries\/000\.p\/14/, '"sequence":2', '"sequence":3'),
  'an entry of another time': alter(/tile\/entries\/000\.p\/14/, /0Z(?=[^Z]*$)/g, '1Z'),
  'a bundle that is cut': put('log/tile/entries/000.p/14'),
  'an altered document': alter(inA('week'), '2026', '2062'),
  'a document that is longer': alter(inA('week'), '2026', '20260'),
  'a document that is a folder': (place) => {
    remove(inA('week'))(place);
    put('NEWEST/week.json/x')(place);
  },
  'two documents that are gone': remove(inA('(?:week|brands)\\.json')),
  'two documents that are swapped': ({ objects: { store } }) => {
    const [brands, week] = matching(store, inA('/(?:brands|week)\\.json')) as [string, string];
    const bytes = store.get(week)!;
    store.set(week, store.get(brands)!).set(brands, bytes);
  },
  'an altered manifest': alter(inA('manifest'), 'Fjord', 'fjord'),
  'a manifest that is gone': remove(inA('manifest')),
  'altered histories': alter(new RegExp(`${a}/histories`), '"1.0"', '"2.0"'),
  'histories that are gone': remove(new RegExp(`${a}/histories`)),
  'altered heads': alter(/^heads\//, 'histories', 'history'),
  'replaced heads that are altered': (place) => put(matching(place.objects.store, /^heads\//)[0]!)(place),
  'heads that are gone': remove(/^heads\//),
  'altered lists of inputs': alter(/^inputs\//, 'inputs', 'input'),
  'lists of inputs that are gone': remove(/^inputs\//),
  'a workspace that is gone': remove(new RegExp(`^workspaces/${workspaceIds[1]}`)),
  'objects that no command writes': put(
    'stray.txt',
    'workspaces/evil/histories/x.json',
    `workspaces/${a}/current.json`,
    'log/tile/x',
    'NEWEST/Brands.json',
    `NEWEST/brands/${a}/visibility.json`,
    'x\u001b[2J\u001b[1;1HIntact.\n\u202e',
  ),
  'objects of a publication that was killed': put(
    `workspaces/${a}/snapshots/${unknownId}/brands.json`,
    `workspaces/${a}/histories/${unknownHash}.json`,
    `heads/${unknownHash}.json`,
    `inputs/${unknownHash}.json`,
    'log/tile/0/001.p/5',
    'log/tile/0/000.p/15',
  ),
  'files of desktops and disks': put(
    'lost+found/x',
    'Thumbs.db',
    'heads/@eaDir/x',
    `workspaces/${a}/desktop.ini`,
  ),
};

type Published = LogEntry & { kind: 'published' };

const rewrite =
  (change: (all: LogEntry[]) => unknown[]): Harm =>
  async (place) =>
    writeLog(place, change(await entriesIn(place)) as LogEntry[], place.signer);

/** The first entry of a kind again, at the end, with other fields. */
const again = (fields: Partial<Published>, of = 'published'): Harm =>
  rewrite((all) => [...all, { ...all.find(({ kind }) => kind === of)!, at: all.at(-1)!.at, ...fields }]);

/** The next week of a workspace is published with another manifest, as one of the first workspace. */
const sign =
  (workspace: number, change: (manifest: string) => string, fields: Partial<Published> = {}): Harm =>
  async (place) => {
    const elsewhere = copyOf(place);
    await publishAll(elsewhere, 1, [workspace]);
    const published = (await entriesIn(elsewhere)).findLast(({ kind }) => kind === 'published') as Published;
    const { snapshotId } = published;
    for (const [key, bytes] of elsewhere.objects.store) {
      if (!key.includes(snapshotId)) continue;
      place.objects.store.set(key, bytes);
      if (!key.endsWith('.manifest.json')) continue;
      const manifest = Buffer.from(change(bytes.toString()));
      const own = { workspaceId: workspaceOf(0), snapshotId, manifestSha256: sha256(manifest), ...fields };
      place.objects.store.set(manifestKey(own.workspaceId, own.snapshotId, own.manifestSha256), manifest);
      await commitToLog(place, () => Promise.resolve({ drafts: [{ ...published, ...own }] }));
    }
  };

const forecast = { path: 'forecast.json', bytes: Buffer.from('{"data":[]}') };
const atLast = (entry: object) =>
  rewrite((all) => [...all, Buffer.from(JSON.stringify({ ...entry, at: all.at(-1)!.at })), all.at(-1)!]);

const expired = { kind: 'withdrawn', snapshotId: unknownId, reason: 'expired', by: 'x' };
/** Entries about the first workspace, and its history after them, in which one text is another one. */
const atLastAbout =
  (fields: object[], from = '', to = ''): Harm =>
  async (place) => {
    const { store } = place.objects;
    const all = await entriesIn(place);
    const { at } = all.at(-1)!;
    const [workspaceId, heads] = [workspaceOf(0), new Map<string, string>()];
    for (const entry of all) moveHead(heads, entry);
    const before = store.get(historyKey(workspaceId, heads.get(workspaceId)!))!.toString();
    const bytes = Buffer.from(before.replace(from, to));
    const history = sha256(bytes);
    const index = encodeHeads(heads.set(workspaceId, history));
    store.set(historyKey(workspaceId, history), bytes).set(headsKey(sha256(index)), index);
    const about = fields.map((each) => Buffer.from(JSON.stringify({ ...each, at, workspaceId, history })));
    writeLog(place, [...all, ...about, { kind: 'heads', at, heads: sha256(index) }], place.signer);
  };

/** What the operator could sign, or a later version, in a log of two workspaces. */
export const signedDamages: Record<string, Harm> = {
  'a log of another key': async (place) => writeLog(place, await entriesIn(place), await newSigner()),
  'an empty log': rewrite(() => []),
  'an entry left out': rewrite((all) => all.slice(1)),
  'no heads at the end': rewrite((all) => [...all, all.findLast(({ kind }) => kind === 'published')!]),
  'another manifest': rewrite((all) => [{ ...all[0], manifestSha256: sha256('x') }, ...all.slice(1)]),
  'a time that decreases': rewrite((all) => [...all, { ...all.at(-1)!, at: '2020-01-01T00:00:00.000Z' }]),
  'a sequence that begins again': again({ snapshotId: unknownId }),
  'a snapshot that is published twice': again({ sequence: 2 }),
  'a second withdrawal that takes no more than the first': again({}, 'withdrawn'),
  'a withdrawal of what was never published': again({ snapshotId: unknownId }, 'withdrawn'),
  'an entry that is none': rewrite((all) => [...all, Buffer.from('{"kind":"published"}')]),
  'a manifest of another workspace': sign(1, (text) => text),
  'a manifest of another snapshot': sign(0, (text) => text, { snapshotId: unknownId }),
  'a manifest that is none': sign(0, () => 'x'),
  'a manifest of other counts': sign(0, (text) => text, { bytes: 1 }),
  'a manifest of another methodology': sign(0, (text) => text.replace('"1.0"', '"1.1"')),
  'a document of a newer version': async (place) => {
    const content = smallContent(0, 1);
    await publishSnapshot(place, { ...content, documents: [...content.documents, forecast] });
  },
  'a field of a manifest of a newer version': sign(0, (text) => text.replace(/\}$/m, ',"region":"eu"}')),
  'a format of a manifest of a newer version': sign(0, (text) => text.replace('"format":3', '"format":4')),
  'an entry of a newer version': atLast({ kind: 'reviewed', workspaceId: workspaceOf(0) }),
  'an entry of a newer version with a history of none': atLast({ kind: 'reviewed', history: unknownHash }),
  'an entry of a newer version about a workspace': atLastAbout([{ kind: 'reviewed' }]),
  'a known one after it': atLastAbout([
    { kind: 'reviewed' },
    { ...expired, reason: 'pruned', by: undefined },
  ]),
  'a reason and a field of a newer version': atLastAbout([expired]),
  'a history of a newer version': atLastAbout([{ kind: 'reviewed' }], '"format":1', '"format":2'),
  'a history of another workspace': atLastAbout([{ kind: 'reviewed' }], workspaceOf(0), workspaceOf(1)),
  'a newer version, and an altered document': async (place) => {
    await signedDamages['an entry of a newer version']!(place);
    await alter(/0{12}.*brands\.json/, 'week', 'weak')(place);
  },
};
