import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../lib/hash.ts';
import { verifyStore } from '../../snapshots/audit/verify.ts';
import type { VerifyReport } from '../../snapshots/audit/verify.ts';
import {
  manifestKey,
  pointerKey,
  readKey,
  receiptKey,
  signatureKey,
  snapshotPrefix,
  tombstoneKey,
  tombstoneSignatureKey,
} from '../../snapshots/layout.ts';
import {
  encodeManifest,
  encodePointer,
  encodeTombstone,
  manifestSchema,
  snapshotIdOf,
} from '../../snapshots/manifest.ts';
import type { Manifest } from '../../snapshots/manifest.ts';
import { pruneSnapshots } from '../../snapshots/audit/prune.ts';
import { temporaryFolder } from '../support/folder.ts';
import {
  brandIds,
  copyStore,
  keysOf,
  makeTestKeys,
  publishHistory,
  snapshotIdsOf,
  workspaceIds,
} from './history.ts';
import type { Keys } from './history.ts';

let root: string;
let original: string;
let keys: string[];
let own: Keys;
let thief: Keys;
let ids: string[];
const [workspaceId] = workspaceIds;
const current = () => ids.at(-1)!;

/** Two workspaces of four signed weeks, of which the oldest of the first is pruned. */
beforeAll(async () => {
  root = await temporaryFolder((remove) => afterAll(remove));
  original = join(root, 'original');
  own = await makeTestKeys(root, 'own');
  thief = await makeTestKeys(root, 'thief');
  const store = await publishHistory(original, own.signer);
  const options = { workspaceId, keep: [{ newest: 3 }], signer: own.signer, trust: own.trust };
  await pruneSnapshots(store, { ...options, now: Date.parse('2026-11-20T00:00:00Z'), isDryRun: false });
  keys = await keysOf(store);
  ids = await snapshotIdsOf(original, workspaceId);
});

/** Verifies a copy of the store after somebody was at it. */
async function verifyAfter(tamper: (folder: string) => Promise<void>): Promise<VerifyReport> {
  const folder = join(root, randomUUID());
  const store = await copyStore(original, folder);
  try {
    await tamper(folder);
    return await verifyStore(store, { trust: own.trust });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const named = ({ problems }: VerifyReport) => problems.flatMap(({ objects }) => objects);
const kinds = ({ problems }: VerifyReport) => problems.map(({ kind }) => kind);
const anyKey = () => fc.nat().map((n) => keys[n % keys.length]!);
const runs = { numRuns: 60 };

test('an untouched store is intact, its signatures and its tombstone valid', async () => {
  const report = await verifyAfter(async () => undefined);
  expect(report).toMatchObject({ isIntact: true, problems: [], notes: [] });
  expect(report.checked).toMatchObject({ workspaces: 2, snapshots: 8, documents: 77, signatures: 8 });
});

describe('verify names', () => {
  test('any object of which one bit is flipped', async () => {
    await fc.assert(
      fc.asyncProperty(anyKey(), fc.nat(), fc.nat(7), async (key, position, bit) => {
        const report = await verifyAfter(async (folder) => {
          const bytes = await readFile(join(folder, key));
          bytes[position % bytes.length]! ^= 1 << bit;
          await writeFile(join(folder, key), bytes);
        });
        expect(named(report)).toContain(key);
      }),
      runs,
    );
  });

  test('any object that was removed, except that of the newest receipt it says that it is still to come', async () => {
    await fc.assert(
      fc.asyncProperty(anyKey(), async (key) => {
        const report = await verifyAfter(async (folder) => await rm(join(folder, key)));
        const meaning = readKey(key)!;
        const newest = (await snapshotIdsOf(original, meaning.workspaceId)).at(-1);
        const isNewestReceipt = meaning.part === 'receipt' && meaning.snapshotId === newest;
        const told = isNewestReceipt ? report.notes.flatMap(({ objects }) => objects) : named(report);
        expect(told).toContain(key);
        expect(report.isIntact).toBe(isNewestReceipt);
      }),
      runs,
    );
  });

  test('any object that was added; what a dying publication may leave, as left over', async () => {
    const stranger = '99999999-3a6e-4f0f-9c57-0c8f7a5a1c09';
    const unheardOf = '20261101T060000.000Z-0123456789abcdef';
    const places = fc.constantFrom(
      'note.txt',
      'workspaces/note.txt',
      `workspaces/${workspaceId}/current.json.bak`,
      `${snapshotPrefix(workspaceId, current())}note.txt`,
      `${snapshotPrefix(workspaceId, current())}brands/${stranger}/visibility.json`,
      `${snapshotPrefix(workspaceId, ids[1]!)}brands/${brandIds[0]}/visibility.v2.json`,
      `${snapshotPrefix(workspaceId, ids[1]!)}tombstone.json`,
      `${snapshotPrefix(workspaceId, ids[1]!)}tombstone.sig`,
      `${snapshotPrefix(workspaceId, ids[1]!)}manifest.0123456789abcdef.sig`,
      `${snapshotPrefix(workspaceId, ids[1]!)}tombstone.0123456789abcdef.sig`,
      `${snapshotPrefix(workspaceId, ids[0]!)}brands/${brandIds[0]}/visibility.json`,
      pointerKey(stranger),
      receiptKey(workspaceId, unheardOf),
      `${snapshotPrefix(workspaceId, unheardOf)}brands.json`,
      manifestKey(workspaceId, unheardOf),
      `${snapshotPrefix(workspaceId, unheardOf)}tombstone.json`,
    );
    await fc.assert(
      fc.asyncProperty(places, fc.uint8Array({ minLength: 1, maxLength: 80 }), async (key, bytes) => {
        const report = await verifyAfter(async (folder) => {
          await mkdir(dirname(join(folder, key)), { recursive: true });
          await writeFile(join(folder, key), bytes);
        });
        expect([...named(report), ...report.notes.flatMap(({ objects }) => objects)]).toContain(key);
        const isLeftover =
          key === `${snapshotPrefix(workspaceId, unheardOf)}brands.json` ||
          key === manifestKey(workspaceId, unheardOf) ||
          key.endsWith('.0123456789abcdef.sig');
        expect(report.isIntact).toBe(isLeftover);
      }),
      runs,
    );
  });

  test('both of any two documents that were swapped', async () => {
    const documents = keys.filter((key) => readKey(key)?.part === 'document');
    const two = fc.uniqueArray(fc.nat(documents.length - 1), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(two, async ([a, b]) => {
        const pair = [documents[a!]!, documents[b!]!] as const;
        const report = await verifyAfter(async (folder) => {
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

  test.each([0, 1, 2])('a pointer put back to week %i, and every snapshot that came after', async (week) => {
    const old = await readFile(join(original, receiptKey(workspaceId, ids[week]!)));
    const report = await verifyAfter(
      async (folder) => await writeFile(join(folder, pointerKey(workspaceId)), old),
    );
    expect(new Set(kinds(report))).toEqual(new Set(['rolled back']));
    expect(named(report)).toContain(pointerKey(workspaceId));
    const after = new Set(report.problems.map(({ snapshotId }) => snapshotId));
    expect(after).toEqual(new Set(ids.slice(week + 1)));
  });
});

const fromElsewhere = (manifest: Manifest) => ({ ...manifest, codeVersion: 'another' });
const unsigned = (manifest: Manifest) => ({ ...manifest, signedBy: null });

async function rewrite(
  folder: string,
  snapshotId: string,
  change: (manifest: Manifest) => Manifest,
  sign: Keys | null,
): Promise<Manifest> {
  const key = join(folder, manifestKey(workspaceId, snapshotId));
  const manifest = change(manifestSchema.parse(JSON.parse(await readFile(key, 'utf8'))));
  const bytes = encodeManifest(manifest);
  await writeFile(key, bytes);
  if (sign !== null) {
    await writeFile(
      join(folder, signatureKey(workspaceId, snapshotId, sha256(bytes))),
      sign.signer.sign(bytes),
    );
  }
  return manifest;
}

async function pointAt(folder: string, snapshotId: string, manifest: Manifest): Promise<void> {
  const pointer = encodePointer({ format: 1, snapshotId, manifestSha256: sha256(encodeManifest(manifest)) });
  await writeFile(join(folder, pointerKey(workspaceId)), pointer);
  await writeFile(join(folder, receiptKey(workspaceId, snapshotId)), pointer);
}

describe('a thief with write access is found', () => {
  test('who signs the newest manifest with another key and says so', async () => {
    const report = await verifyAfter(async (folder) => {
      const change = (manifest: Manifest) => ({ ...manifest, signedBy: thief.fingerprint });
      await pointAt(folder, current(), await rewrite(folder, current(), change, thief));
    });
    expect(kinds(report)).toContain('foreign key');
    expect(named(report)).toContain(manifestKey(workspaceId, current()));
  });

  test('who signs the newest manifest with another key and names ours', async () => {
    const report = await verifyAfter(async (folder) => {
      await pointAt(folder, current(), await rewrite(folder, current(), fromElsewhere, thief));
    });
    expect(kinds(report)).toContain('wrong signature');
  });

  test('who takes the signature away', async () => {
    const report = await verifyAfter(async (folder) => {
      await pointAt(folder, current(), await rewrite(folder, current(), unsigned, null));
    });
    expect(kinds(report)).toContain('unsigned');
  });

  test('who rewrites an older manifest with our own key: the next one links to another', async () => {
    const report = await verifyAfter(async (folder) => {
      await rewrite(folder, ids[2]!, fromElsewhere, own);
    });
    expect(kinds(report)).toContain('rewritten');
    expect(report.problems[0]).toMatchObject({ snapshotId: ids[2], since: '2026-11-09T06:00:00.000Z' });
  });

  test('who puts a snapshot of his own behind the pointer', async () => {
    const report = await verifyAfter(async (folder) => {
      const path = join(folder, manifestKey(workspaceId, current()));
      const manifest = manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')));
      const documents = [{ path: 'brands.json', bytes: 12, sha256: sha256('{"data":[]}\n') }];
      const forged = {
        ...manifest,
        documents,
        snapshotId: snapshotIdOf({ ...manifest, documents }),
        signedBy: null,
      };
      const folderOfForged = join(folder, snapshotPrefix(workspaceId, forged.snapshotId));
      await mkdir(folderOfForged, { recursive: true });
      await writeFile(join(folderOfForged, 'brands.json'), '{"data":[]}\n');
      await writeFile(join(folderOfForged, 'manifest.json'), encodeManifest(forged));
      await pointAt(folder, forged.snapshotId, forged);
    });
    expect(kinds(report)).toEqual(expect.arrayContaining(['unsigned', 'forked']));
  });

  test('who removes the newest snapshot with all its traces: by the one who saw it', async () => {
    const seen = await verifyAfter(async () => undefined);
    const folder = join(root, randomUUID());
    const store = await copyStore(original, folder);
    await rm(join(folder, snapshotPrefix(workspaceId, current())), { recursive: true });
    const before = await readFile(join(folder, receiptKey(workspaceId, ids[2]!)));
    await writeFile(join(folder, pointerKey(workspaceId)), before);
    expect(await verifyStore(store, { trust: own.trust })).toMatchObject({ isIntact: true });
    const report = await verifyStore(store, { trust: own.trust, seen: seen.heads });
    expect(kinds(report)).toEqual(['replaced']);
    expect(report.problems[0]).toMatchObject({ workspaceId, snapshotId: current() });
  });

  test.each([
    ['unsigned', null],
    ['foreign key', 'thief'],
  ])('who removes documents under a tombstone of his own: %s', async (kind, signedBy) => {
    const report = await verifyAfter(async (folder) => {
      const snapshotId = ids[1]!;
      const { manifestSha256 } = JSON.parse(
        await readFile(join(folder, receiptKey(workspaceId, snapshotId)), 'utf8'),
      ) as { manifestSha256: string };
      const tombstone = encodeTombstone({
        format: 1,
        workspaceId,
        snapshotId,
        manifestSha256,
        prunedAt: '2026-11-20T00:00:00.000Z',
        documents: 11,
        bytes: 1,
        signedBy: signedBy === null ? null : thief.fingerprint,
      });
      await writeFile(join(folder, tombstoneKey(workspaceId, snapshotId)), tombstone);
      const signature = tombstoneSignatureKey(workspaceId, snapshotId, sha256(tombstone));
      if (signedBy !== null) await writeFile(join(folder, signature), thief.signer.sign(tombstone));
      await rm(join(folder, `${snapshotPrefix(workspaceId, snapshotId)}brands`), { recursive: true });
    });
    expect(kinds(report)).toEqual([kind]);
    expect(named(report)).toContain(tombstoneKey(workspaceId, ids[1]!));
  });
});
