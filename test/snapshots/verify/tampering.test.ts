/** @module-tag black-box */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  auditedPlace,
  copyOf,
  documentOf,
  flip,
  kindsOf,
  otherId,
  problemsAfter,
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

/** Keys for which a change is not noticed. */
async function unnoticed(change: (objects: Objects, key: string) => unknown): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys)
    if ((await problemsAfter(place, (objects) => change(objects, key))).length === 0) found.push(key);
  return found;
}

describe('of every object', () => {
  test.each(['first', 'middle', 'last'])('the %s byte changed is a problem', async (where) => {
    const found = await unnoticed((objects, key) => {
      const last = objects.get(key)!.length - 1;
      flip(objects, key, { first: 0, middle: last >> 1, last }[where]!);
    });
    expect(found).toEqual([]);
  });

  test('deletion is a problem, unless newer ones replaced it', async () => {
    const found = await unnoticed((objects, key) => objects.delete(key));
    expect(found.toSorted()).toEqual(keys.filter(isSuperseded).toSorted());
    expect(new Set(found.map(kindOf)).size).toBe(4);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut in half', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['emptied', () => Buffer.alloc(0)],
    ['longer by a newline', (bytes) => Buffer.concat([bytes, Buffer.from('\n')])],
  ])('%s is a problem', async (_, change) => {
    const found = await unnoticed((objects, key) => objects.set(key, change(objects.get(key)!)));
    expect(found).toEqual([]);
  });

  test('replacement by another one of its kind is a problem', async () => {
    let replaced = 0;
    const found = await unnoticed((objects, key) => {
      const bytes = objects.get(key)!;
      const others = keys.filter((each) => kindOf(each) === kindOf(key) && !objects.get(each)!.equals(bytes));
      replaced += Math.sign(others.length);
      objects.set(key, objects.get(others.at(-1)!) ?? Buffer.from('x'));
    });
    expect(found).toEqual([]);
    expect(replaced).toBeGreaterThan(100);
  });

  test('replacement by that of the other workspace is a problem', async () => {
    const own = keys.filter(
      (key) => key.includes(workspaceId) && /snapshots.*(?:brands|week|tables)/.test(key),
    );
    expect(own).toHaveLength(3 * 17);
    for (const key of own) {
      const [, path] = key.split(/snapshots\/.*?\//);
      const date = /snapshots\/(\d{8})/.exec(key)![1]!;
      const other = keys.find(
        (each) => each.includes(`${otherId}/snapshots/${date}`) && each.endsWith(path!),
      )!;
      expect(await problemsAfter(place, (objects) => objects.set(key, objects.get(other)!))).toEqual([
        'altered',
      ]);
    }
  });
});

test('an altered store is made intact by what the lake remembers and by a copy', async () => {
  for (const bytes of ['altered', '']) {
    const copy = copyOf(place);
    for (const key of keys) copy.objects.store.set(key, Buffer.from(bytes));
    await repair(copy, place);
    expect((await verified(copy)).problems).toEqual([]);
  }
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
    ['in a folder at the top', () => 'other/evil.txt'],
    ['in log/', () => 'log/evil'],
    ['in log/checkpoints/', () => 'log/checkpoints/3'],
    ['in heads/', () => 'heads/evil.json'],
    ['in inputs/', () => 'inputs/evil.json'],
    ['in log/stamps/', () => 'log/stamps/3/evil'],
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
