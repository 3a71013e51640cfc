/** @module-tag black-box */
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  auditedPlace,
  copyOf,
  documentOf,
  flip,
  kindsOf,
  problemsAfter,
  readAll,
  repair,
  supersededIn,
  verified,
  verifiedAfter,
  workspaceId,
} from '../../adapters/verify.ts';
import type { Audited, Objects, Place, VerifyReport } from '../../adapters/verify.ts';

const CHECKPOINT_KEY = 'log/checkpoint';
/** The name of an object that is not there: a SHA-256 in hexadecimal. */
const unknownHash = '2d'.repeat(32);

let audited: Audited;
let place: Place;
let keys: string[];
let isSuperseded: (key: string) => boolean;
beforeAll(async () => {
  audited = await auditedPlace();
  ({ place } = audited);
  keys = [...place.objects.store.keys()];
  isSuperseded = await supersededIn(place);
});

/** The kind of an object, for messages and for the choice of another one of the same kind. */
const kindOf = (key: string) => key.replaceAll(/[0-9a-f-]{16,}|\d+/g, '#').replace(/#T#\.#Z/, '');

test('the untouched store is intact, and has every kind of object', async () => {
  const { problems, notes, checked } = await verified(place);
  expect(problems).toEqual([]);
  expect(kindsOf(notes)).toEqual(['mistaken', 'pruned']);
  expect(checked).toMatchObject({ workspaces: 2, snapshots: 8, documents: 7 * 17 });
  expect(new Set(keys.map((key) => key.split('/')[0]))).toEqual(
    new Set(['heads', 'inputs', 'log', 'workspaces']),
  );
});

/** Objects of every kind: all but the documents of older snapshots, which are as those of the newest ones. */
const someOfEveryKind = () => {
  const newest = [audited.ids[3]!, audited.mistakenId];
  return keys.filter((key) => !isDocument(key) || newest.some((id) => key.includes(id)));
};
const isDocument = (key: string) => /snapshots.*\/(?:brands|week|tables)\b/.test(key);

/** What happens to an object. */
const harms: [string, (objects: Objects, key: string) => unknown][] = [
  ['the first byte is changed', (objects, key) => flip(objects, key, 0)],
  ['a byte in the middle is changed', (objects, key) => flip(objects, key, objects.get(key)!.length >> 1)],
  ['the last byte is changed', (objects, key) => flip(objects, key, objects.get(key)!.length - 1)],
  ['it is emptied', (objects, key) => objects.set(key, Buffer.alloc(0))],
  [
    'it is longer by a newline',
    (objects, key) => objects.set(key, Buffer.concat([objects.get(key)!, Buffer.from('\n')])),
  ],
  [
    'it is replaced by another one of its kind',
    (objects, key) => {
      const bytes = objects.get(key)!;
      const others = keys.filter((each) => kindOf(each) === kindOf(key) && !objects.get(each)!.equals(bytes));
      objects.set(key, objects.get(others.at(-1)!) ?? Buffer.from('x'));
    },
  ],
  ['it is deleted', (objects, key) => objects.delete(key)],
];

describe.each(harms)('an object of which %s', (what, harm) => {
  test('is a problem for verify, unless it may be gone', async () => {
    const unnoticed: string[] = [];
    for (const key of someOfEveryKind())
      if ((await problemsAfter(place, (objects) => harm(objects, key))).length === 0) unnoticed.push(key);
    expect(unnoticed).toEqual(what === 'it is deleted' ? keys.filter(isSuperseded) : []);
  });

  test('is refused by readers, or changes nothing of what they read', async () => {
    const { published, documents } = await readAll(place);
    let refusals = 0;
    const misled: string[] = [];
    for (const key of someOfEveryKind()) {
      const copy = copyOf(place);
      harm(copy.objects.store, key);
      // A reader that starts at a store without a checkpoint finds that nothing is published yet.
      if (!copy.objects.store.has(CHECKPOINT_KEY)) continue;
      const found = await readAll(copy).catch(() => null);
      if (found === null) refusals += 1;
      else if (!isDeepStrictEqual([found.published, found.documents], [published, documents]))
        misled.push(key);
    }
    expect(misled).toEqual([]);
    expect(refusals).toBeGreaterThan(40);
  });

  test('is written again by a repair, from the lake or a copy of the store', async () => {
    for (const key of new Map(keys.map((each) => [kindOf(each), each])).values()) {
      const copy = copyOf(place);
      harm(copy.objects.store, key);
      const written = await repair(copy, place);
      // The checkpoint is always written again; what may be gone is only deleted where it is altered.
      const mayStay = key === CHECKPOINT_KEY || (what === 'it is deleted' && isSuperseded(key));
      expect(written).toEqual(mayStay ? [] : [key]);
      expect({ key, problems: (await verified(copy)).problems }).toEqual({ key, problems: [] });
    }
  });
});

test.each(['altered', 'emptied', 'lost'])('a store that is %s altogether is repaired', async (what) => {
  const copy = copyOf(place);
  for (const key of keys) copy.objects.store.set(key, Buffer.from(what === 'altered' ? what : ''));
  if (what === 'lost') copy.objects.store.clear();
  await repair(copy, place);
  const { problems, notes } = await verified(copy);
  expect([problems, kindsOf(notes)]).toEqual([[], ['mistaken', 'pruned']]);
});

test('a repair takes nothing from a copy that does not have the published bytes', async () => {
  const [copy, ofThief] = [copyOf(place), copyOf(place)];
  copy.objects.store.clear();
  for (const key of keys) ofThief.objects.store.set(key, Buffer.from('of a thief'));
  await repair(copy, ofThief);
  expect([...copy.objects.store.keys()].filter((key) => /\/snapshots\//.test(key))).toEqual([]);
});

test.each([2 ** 53 - 1, 90_071_992_547])(
  'an unsigned checkpoint of %d entries is a problem at once',
  async (size) => {
    const text = place.objects.store.get(CHECKPOINT_KEY)!.toString();
    const hostile = Buffer.from(text.replace(/\n\d+\n/, `\n${size}\n`));
    const change = (objects: Objects) => objects.set(CHECKPOINT_KEY, hostile);
    expect(await problemsAfter(place, change)).toEqual(['log_unsigned']);
  },
);

test.each(['workspaces/', `workspaces/${workspaceId}/`, 'lost+found/x', 'Thumbs.db', 'heads/@eaDir/x'])(
  'what consoles and file systems leave is no alarm: %s',
  async (key) => {
    expect(await problemsAfter(place, (objects) => objects.set(key, Buffer.alloc(0)))).toEqual([]);
  },
);

test('every byte of the checkpoint counts', async () => {
  const { length } = place.objects.store.get(CHECKPOINT_KEY)!;
  for (let at = 0; at < length; at++)
    expect(await problemsAfter(place, (objects) => flip(objects, CHECKPOINT_KEY, at))).not.toEqual([]);
});

test('documents that were swapped are told from altered ones', async () => {
  const [a, b] = [documentOf(workspaceId, audited.ids[1]!), documentOf(workspaceId, audited.ids[3]!)];
  const swap = (objects: Objects) => {
    const bytes = objects.get(a)!;
    objects.set(a, objects.get(b)!).set(b, bytes);
  };
  expect(await problemsAfter(place, swap)).toEqual(['swapped']);
});

const snapshot = () => `workspaces/${workspaceId}/snapshots/${audited.ids[3]!}`;
const noteOn = ({ notes }: VerifyReport) => notes.find(({ kind }) => kind === 'unpublished');
const leftOf = (report: VerifyReport) => noteOn(report)?.objects ?? [];

describe('an object more', () => {
  const brand = '99999999-3a6e-4f0f-9c57-0c8f7a5a1c09';
  test.each<[string, () => string]>([
    ['at the top', () => 'evil.txt'],
    ['in log/', () => 'log/evil'],
    ['in heads/', () => 'heads/evil.json'],
    ['in a workspace', () => `workspaces/${workspaceId}/current.json`],
    ['with the name of no workspace', () => 'workspaces/evil/histories/x.json'],
    ['in a snapshot', () => `${snapshot()}/evil.txt`],
    ['with the name of a document', () => `${snapshot()}/brands/${brand}/visibility.json`],
    ['with the name of a tile', () => 'log/tile/0/x001'],
    ['with a name in capitals', () => `${snapshot()}/Brands.json`],
  ])('%s is a problem', async (_, key) => {
    expect(await problemsAfter(place, (objects) => objects.set(key(), Buffer.from('x')))).toEqual(['extra']);
  });

  test.each<[string, () => string]>([
    ['a manifest', () => `${snapshot()}/0123456789abcdef.manifest.json`],
    ['a history', () => `workspaces/${workspaceId}/histories/${unknownHash}.json`],
    ['heads', () => `heads/${unknownHash}.json`],
    ['a list of inputs', () => `inputs/${unknownHash}.json`],
    [
      'a snapshot of another time',
      () => `workspaces/${workspaceId}/snapshots/20270101T000000.000Z-0123456789abcdef/brands.json`,
    ],
    ['a workspace', () => `workspaces/99999999-3a6e-4f0f-9c57-0c8f7a5a1c09/histories/${unknownHash}.json`],
    ['a tile beyond the head', () => 'log/tile/0/001.p/5'],
  ])('that a killed publication may have left, such as %s, is counted in a note', async (_, key) => {
    const report = await verifiedAfter(place, (objects) => objects.set(key(), Buffer.from('x')));
    expect(report.problems).toEqual([]);
    expect(leftOf(report)).toEqual([...leftOf(await verified(place)), key()].toSorted());
    expect(noteOn(report)!.message).toMatch(/: its next run uses them$/);
  });
});
