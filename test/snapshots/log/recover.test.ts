import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { StoreLocation } from '../../../lib/config.ts';
import { sha256 } from '../../../lib/hash.ts';
import { markLake } from '../../../lib/store/lake.ts';
import { openStore } from '../../../lib/store/open.ts';
import { CHECKPOINT_KEY, committedKey, headsKey, historyKey } from '../../../snapshots/layout.ts';
import { readLog } from '../../../snapshots/log/follow.ts';
import { encodeHeads } from '../../../snapshots/log/history.ts';
import { signedHead } from '../../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../../snapshots/log/notes/note.ts';
import { rotateLog } from '../../../snapshots/log/write/commit.ts';
import { withCommitParts } from '../../../snapshots/log/write/parts.ts';
import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { signedDamages } from '../damages.ts';
import { publishSnapshot } from '../publish.ts';
import { expectComplete } from './intact.ts';
import {
  copyOf,
  newSigner,
  placeOf,
  publishAll,
  putBack,
  smallContent,
  usualPlace,
  withdraw,
  workspaceOf,
} from './places.ts';
import type { Place } from './places.ts';

let signer: Signer;
let next: Signer;
let thief: Signer;
let usual: Place;
let place: Place;
beforeAll(async () => {
  [signer, next, thief] = [await newSigner(), await newSigner(), await newSigner()];
  usual = await usualPlace(signer);
});
beforeEach(() => {
  place = copyOf(usual);
});

/** The store of a place, with a lake that remembers what another one does. */
function withLakeOf(store: Place, lake: Place): Place {
  return placeOf(signer, { store: new Map(store.objects.store), lake: new Map(lake.objects.lake) });
}

/** Asserts that a publication is refused, and neither signs nor writes anything. */
async function expectRefused(at: Place, message: RegExp): Promise<void> {
  const before = copyOf(at);
  await expect(publishAll(at, 8, [0])).rejects.toThrow(message);
  expect(at.objects).toEqual(before.objects);
}

const weeksOf = async (at: Place) => (await expectComplete(at)).published.get(workspaceOf(0))!.length;

const forged = (size: number) =>
  formatNote(signedHead({ origin: usual.origin, size, root: Buffer.alloc(32, 7) }, [thief]).note);

test.each<[string, (text: string) => string]>([
  ['with an altered name', (text) => text.replace('sightline', 'sigitline')],
  ['of a larger log that a thief signed', () => forged(1000)],
])('a checkpoint %s is replaced by the next publication, and by a repair', async (_, forge) => {
  const text = usual.objects.store.get(CHECKPOINT_KEY)!.toString();
  for (const heal of [(at: Place) => publishAll(at, 2, [0]), repairLog]) {
    place = copyOf(usual);
    place.objects.store.set(CHECKPOINT_KEY, Buffer.from(forge(text)));
    await expect(readLog(place.store, place)).rejects.toThrow(/./);
    await heal(place);
    await expectComplete(place);
  }
});

test('an older state of the store is recognised: nothing is published until the rest is back, but what was lost', async () => {
  for (const week of [2, 3]) await publishAll(place, week, [0, 1]);
  await pruneSnapshots(place, { workspaceId: workspaceOf(1), keep: [], isDryRun: false });
  const [lost] = await publishAll(place, 4, [0]);
  await withdraw(place, 0, 'lost');
  await publishSnapshot(place, { ...smallContent(0, 5), inputs: [{ path: 'runs/1', sha256: sha256('1') }] });
  const newest = copyOf(place);
  putBack(place, usual);
  await expectRefused(
    place,
    /^store is an older copy: \d+ objects .* are missing, the first is workspaces\/\S+20260119T\S+manifest\.json; nothing was published\. .*"audit log complete --from COPY"/,
  );
  const inputs = [...newest.objects.store.keys()].filter((key) => key.startsWith('inputs/'));
  for (const [key, bytes] of newest.objects.store)
    if (![CHECKPOINT_KEY, ...inputs].includes(key) && !key.includes(lost!))
      place.objects.store.set(key, bytes);
  await expectRefused(place, /^store is an older copy: 1 objects .* are missing, the first is inputs/);
  for (const key of inputs) place.objects.store.set(key, newest.objects.store.get(key)!);
  await publishAll(place, 6, [0]);
  expect(await weeksOf(place)).toBe(7);
});

const causes =
  /is signed with our key .*: is the lake an older copy, does a second lake write to this store, or was the key stolen\?/;

test('a store that is ahead of its lake is refused with the three causes, also by a rotation to the key that signed it', async () => {
  await publishAll(place, 2, [0]);
  await expectRefused(withLakeOf(place, usual), causes);
  await expect(repairLog(withLakeOf(place, usual))).rejects.toThrow(causes);
  await rotateLog(place, next);
  await publishAll({ ...place, signer: next }, 5, [0]);
  const older = withLakeOf(place, usual);
  await expect(rotateLog(older, next)).rejects.toThrow(causes);
  expect(older.objects.store).toEqual(place.objects.store);
});

test('a lake that lost its log in part, or of which anything of its log is altered, remembers it again', async () => {
  await publishAll(place, 2, [0]);
  const older = withLakeOf(place, usual);
  await adoptLog(older, []);
  await publishAll(older, 3, [0]);
  expect(await weeksOf(older)).toBe(4);
  await repairLog(withLakeOf(usual, older)); // a store that ends within what was adopted at once
  const keys = [...place.objects.lake.keys()].filter((key) => key.startsWith('log/'));
  expect(keys).toContain(committedKey(place.origin));
  const harms = [null, Buffer.from('altered'), gzipSync('altered')];
  for (const [key, bytes] of keys.flatMap((each) => harms.map((harm) => [each, harm] as const))) {
    const copy = copyOf(place);
    copy.objects.lake.delete(key);
    if (bytes !== null) copy.objects.lake.set(key, bytes);
    await expect(repairLog(copy)).rejects.toThrow(/--from-store"|cannot be read/);
    await adoptLog(copy, []);
    await publishAll(copy, 3, [0]);
    await repairLog(copy);
    expect(await weeksOf(copy)).toBe(4);
  }
});

/** With a field of a newer version. */
const changedOf = (json: string) => Buffer.from(json.replace(/\}(?=\n?$)/, ',"region":"eu"}'));

test('what a newer version wrote is not appended to, and in the lake is neither overwritten nor taken for damage', async () => {
  const key = committedKey(place.origin);
  const text = place.objects.lake.get(key)!.toString();
  for (const bytes of [Buffer.from(text.replace('"format":1', '"format":2')), changedOf(text)]) {
    place.objects.lake.set(key, bytes);
    for (const work of [() => publishAll(place, 2, [0]), () => repairLog(place), () => adoptLog(place, [])])
      await expect(work()).rejects.toThrow(/was written by a newer version/);
    expect(place.objects.lake.get(key)).toBe(bytes);
  }
  const newer = copyOf(usual);
  await signedDamages['a document of a newer version']!(newer);
  await expect(pruneSnapshots(newer, { keep: [{ newest: 1 }], isDryRun: false })).rejects.toThrow(
    /written by a newer version of Sightline \(workspaces\/.*: forecast/,
  );
  await signedDamages['an entry of a newer version']!(place);
  await expect(adoptLog(withLakeOf(place, placeOf(signer)), [])).rejects.toThrow(
    /written by a newer version of Sightline \(entry .*upgrade this one/,
  );
  const unknown = copyOf(usual);
  const { store, lake } = unknown.objects;
  const { heads } = (await readLog(usual.store, usual))!;
  const own = workspaceOf(0);
  const history = changedOf(store.get(historyKey(own, heads.get(own)!))!.toString());
  const index = encodeHeads(new Map(heads).set(own, sha256(history)));
  store.set(historyKey(own, sha256(history)), history).set(headsKey(sha256(index)), index);
  lake.set(key, Buffer.from(text.replace(/(?<="heads":")\w+/, sha256(index))));
  await expect(publishAll(unknown, 2, [0])).rejects.toThrow(/the history of workspace .* by a newer version/);
});

test('the first publication makes a key; a lost one is named, not replaced, also for a new lake', async () => {
  const root = await temporaryFolder();
  const before = process.cwd();
  process.chdir(root);
  onTestFinished(() => process.chdir(before));
  const at = (name: string): StoreLocation => ({ kind: 'directory', path: join(root, '.data', name) });
  const locations = { store: at('store'), lake: at('lake') };
  await markLake(openStore(locations.lake));
  const publish = async (week: number) =>
    await withCommitParts(locations, async (parts) => await publishAll(parts, week, [0]), {
      mayMakeKey: true,
    });
  for (const week of [0, 1]) await publish(week);
  expect(readdirSync('.data/keys')).toEqual(['sightline.private.pem', 'sightline.public.pem']);
  for (const lost of ['.data/keys', '.data/lake/log']) {
    await rm(lost, { recursive: true });
    await expect(publish(2)).rejects.toThrow(
      /sightline\.private\.pem is missing, and the log sightline\.local\/log was signed before: put the key back/,
    );
  }
  expect(existsSync('.data/keys')).toBe(false);
});
