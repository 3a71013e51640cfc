import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  inputsKey,
  manifestKey,
  pointerKey,
  readKey,
  receiptKey,
  snapshotPrefix,
  tombstoneKey,
  tombstoneSignatureKey,
} from '../../../snapshots/layout.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { brandIds, snapshotIdsOf } from '../history.ts';
import { kinds, makeSignedHistory, named, workspaceId } from './signed-history.ts';
import type { SignedHistory } from './signed-history.ts';

const newFolder = temporaryFolders();

let history: SignedHistory;
beforeAll(async () => {
  history = await makeSignedHistory(await newFolder());
});

const anyKey = () => fc.nat().map((n) => history.keys[n % history.keys.length]!);
const runs = { numRuns: 60 };

test('an unchanged store is intact, with valid signatures and a valid tombstone', async () => {
  const report = await history.verifyAfter(async () => undefined);
  expect(report).toMatchObject({ isIntact: true, problems: [] });
  expect(report.notes.map(({ kind }) => kind)).toEqual(['pruned']);
  expect(report.checked).toMatchObject({ workspaces: 2, snapshots: 8, documents: 91, signatures: 8 });
});

describe('verify names', () => {
  test.each([
    ['with the public key', true],
    ['without it, except in a signature', false],
  ])('any object of which one bit is flipped, %s', async (_, hasKey) => {
    await fc.assert(
      fc.asyncProperty(anyKey(), fc.nat(), fc.nat(7), async (key, position, bit) => {
        fc.pre(hasKey || !key.endsWith('.sig'));
        const flip = async (folder: string) => {
          const bytes = await readFile(join(folder, key));
          bytes[position % bytes.length]! ^= 1 << bit;
          await writeFile(join(folder, key), bytes);
        };
        const report = await history.verifyAfter(flip, hasKey ? history.own.trust : null);
        expect(named(report)).toContain(key);
      }),
      runs,
    );
  });

  test('any object that was removed; for the newest receipt it notes that it is still to come', async () => {
    await fc.assert(
      fc.asyncProperty(anyKey(), async (key) => {
        const report = await history.verifyAfter(async (folder) => await rm(join(folder, key)));
        const meaning = readKey(key);
        const newest = (await snapshotIdsOf(history.original, meaning?.workspaceId ?? workspaceId)).at(-1);
        const isNewestReceipt = meaning?.part === 'receipt' && meaning.snapshotId === newest;
        const told = isNewestReceipt ? report.notes.flatMap(({ objects }) => objects) : named(report);
        expect(told).toContain(key);
        expect(report.isIntact).toBe(isNewestReceipt);
      }),
      runs,
    );
  });

  test('any object that was added; possible leftovers of a killed publication as a note', async () => {
    const stranger = '99999999-3a6e-4f0f-9c57-0c8f7a5a1c09';
    const unheardOf = '20261101T060000.000Z-0123456789abcdef';
    const places = fc.constantFrom(
      'note.txt',
      'workspaces/note.txt',
      `workspaces/${workspaceId}/current.json.bak`,
      `${snapshotPrefix(workspaceId, history.ids.at(-1)!)}note.txt`,
      `${snapshotPrefix(workspaceId, history.ids.at(-1)!)}brands/${stranger}/visibility.json`,
      `${snapshotPrefix(workspaceId, history.ids[1]!)}brands/${brandIds[0]}/visibility.v2.json`,
      `${snapshotPrefix(workspaceId, history.ids[1]!)}tombstone.json`,
      tombstoneKey(workspaceId, history.ids[1]!),
      tombstoneSignatureKey(workspaceId, history.ids[1]!, '0123456789abcdef'),
      `${snapshotPrefix(workspaceId, history.ids[1]!)}tombstone.sig`,
      `${snapshotPrefix(workspaceId, history.ids[1]!)}manifest.0123456789abcdef.sig`,
      `${snapshotPrefix(workspaceId, history.ids[1]!)}history.0123456789abcdef.json`,
      inputsKey('0'.repeat(64)),
      `${snapshotPrefix(workspaceId, history.ids[0]!)}brands/${brandIds[0]}/visibility.json`,
      pointerKey(stranger),
      receiptKey(workspaceId, unheardOf),
      `${snapshotPrefix(workspaceId, unheardOf)}brands.json`,
      manifestKey(workspaceId, unheardOf),
      tombstoneKey(workspaceId, unheardOf),
    );
    await fc.assert(
      fc.asyncProperty(places, fc.uint8Array({ minLength: 1, maxLength: 80 }), async (key, bytes) => {
        const report = await history.verifyAfter(async (folder) => {
          await mkdir(dirname(join(folder, key)), { recursive: true });
          await writeFile(join(folder, key), bytes);
        });
        expect([...named(report), ...report.notes.flatMap(({ objects }) => objects)]).toContain(key);
        const isLeftover =
          key === `${snapshotPrefix(workspaceId, unheardOf)}brands.json` ||
          key === manifestKey(workspaceId, unheardOf) ||
          key.startsWith('inputs/') ||
          key.includes('.0123456789abcdef.');
        expect(report.isIntact).toBe(isLeftover);
      }),
      runs,
    );
  });

  test('a snapshot without a receipt that nothing links to as unpublished, and not as pruned', async () => {
    const receipts = history.ids.slice(-2).map((id) => receiptKey(workspaceId, id));
    const report = await history.verifyAfter(async (folder) => {
      await rename(join(folder, receipts[0]!), join(folder, pointerKey(workspaceId)));
      await rm(join(folder, receipts[1]!));
    });
    expect(report.notes.map(({ kind }) => kind)).toContain('unpublished');
    expect(report.notes.map(({ kind }) => kind)).not.toContain('pruning_unfinished');
  });

  test('both of any two documents that were swapped', async () => {
    const documents = history.keys.filter((key) => readKey(key)?.part === 'document');
    const two = fc.uniqueArray(fc.nat(documents.length - 1), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(two, async ([a, b]) => {
        const pair = [documents[a!]!, documents[b!]!] as const;
        const report = await history.verifyAfter(async (folder) => {
          const bytes = await Promise.all(pair.map((key) => readFile(join(folder, key))));
          await writeFile(join(folder, pair[0]), bytes[1]!);
          await writeFile(join(folder, pair[1]), bytes[0]!);
        });
        expect(named(report).toSorted()).toEqual(pair.toSorted());
        const isWithin = readKey(pair[0])!.workspaceId === readKey(pair[1])!.workspaceId;
        expect(new Set(kinds(report))).toEqual(new Set([isWithin ? 'swapped' : 'altered']));
      }),
      { numRuns: 25 },
    );
  });

  test.each([0, 1, 2])('a pointer set back to week %i, and every later snapshot', async (week) => {
    const old = await readFile(join(history.original, receiptKey(workspaceId, history.ids[week]!)));
    const report = await history.verifyAfter(
      async (folder) => await writeFile(join(folder, pointerKey(workspaceId)), old),
    );
    const ofPruned = week === 0 ? ['pruned_current', 'missing'] : [];
    expect(new Set(kinds(report))).toEqual(new Set(['rolled_back', ...ofPruned]));
    expect(named(report)).toContain(pointerKey(workspaceId));
    const after = new Set(report.problems.map(({ snapshotId }) => snapshotId));
    expect(after).toEqual(new Set(history.ids.slice(week === 0 ? 0 : week + 1)));
  });
});
