import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../../lib/hash.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import {
  manifestKey,
  pointerKey,
  receiptKey,
  signatureKey,
  snapshotPrefix,
  tombstoneKey,
  tombstoneSignatureKey,
  tombstonesPrefix,
} from '../../../snapshots/layout.ts';
import {
  encodeManifest,
  encodePointer,
  encodeTombstone,
  manifestSchema,
  snapshotIdOf,
} from '../../../snapshots/manifest.ts';
import type { Manifest } from '../../../snapshots/manifest.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { copyStore } from '../history.ts';
import type { Keys } from '../history.ts';
import { kinds, makeSignedHistory, named, workspaceId } from './signed-history.ts';
import type { SignedHistory } from './signed-history.ts';

const newFolder = temporaryFolders();

let history: SignedHistory;
beforeAll(async () => {
  history = await makeSignedHistory(await newFolder());
});

const current = () => history.ids.at(-1)!;
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
  const pointer = encodePointer({ snapshotId, manifestSha256: sha256(encodeManifest(manifest)) });
  await writeFile(join(folder, pointerKey(workspaceId)), pointer);
  await writeFile(join(folder, receiptKey(workspaceId, snapshotId)), pointer);
}

describe('a thief with write access is found', () => {
  test('who signs the newest manifest with another key and says so', async () => {
    const report = await history.verifyAfter(async (folder) => {
      const change = (manifest: Manifest) => ({ ...manifest, signedBy: history.thief.fingerprint });
      await pointAt(folder, current(), await rewrite(folder, current(), change, history.thief));
    });
    expect(kinds(report)).toContain('foreign_key');
    expect(named(report)).toContain(manifestKey(workspaceId, current()));
  });

  test('who signs the newest manifest with another key and names ours', async () => {
    const report = await history.verifyAfter(async (folder) => {
      await pointAt(folder, current(), await rewrite(folder, current(), fromElsewhere, history.thief));
    });
    expect(kinds(report)).toContain('wrong_signature');
  });

  test('who removes the signature', async () => {
    const report = await history.verifyAfter(async (folder) => {
      await pointAt(folder, current(), await rewrite(folder, current(), unsigned, null));
    });
    expect(kinds(report)).toContain('unsigned');
  });

  test('who rewrites an older manifest with our own key: the next one links to another', async () => {
    const report = await history.verifyAfter(async (folder) => {
      await rewrite(folder, history.ids[2]!, fromElsewhere, history.own);
    });
    expect(kinds(report)).toContain('rewritten');
    expect(report.problems[0]).toMatchObject({
      snapshotId: history.ids[2],
      since: '2026-11-09T06:00:00.000Z',
    });
  });

  test('who publishes a snapshot of their own', async () => {
    const report = await history.verifyAfter(async (folder) => {
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

  test('who removes the newest snapshot with all its traces: by an auditor with a state', async () => {
    const seen = await history.verifyAfter(async () => undefined);
    const folder = join(history.root, randomUUID());
    const store = await copyStore(history.original, folder);
    await rm(join(folder, snapshotPrefix(workspaceId, current())), { recursive: true });
    const before = await readFile(join(folder, receiptKey(workspaceId, history.ids[2]!)));
    await writeFile(join(folder, pointerKey(workspaceId)), before);
    expect(await verifyStore(store, { trust: history.own.trust })).toMatchObject({ isIntact: true });
    const report = await verifyStore(store, { trust: history.own.trust, seen: seen.heads });
    expect(kinds(report)).toEqual(['replaced']);
    expect(report.problems[0]).toMatchObject({ workspaceId, snapshotId: current() });
  });

  test.each([
    ['unsigned', null],
    ['foreign_key', 'thief'],
  ])('who removes documents under a tombstone of his own: %s', async (kind, signedBy) => {
    const report = await history.verifyAfter(async (folder) => {
      const snapshotId = history.ids[1]!;
      const { manifestSha256 } = JSON.parse(
        await readFile(join(folder, receiptKey(workspaceId, snapshotId)), 'utf8'),
      ) as { manifestSha256: string };
      const manifest = manifestSchema.parse(
        JSON.parse(await readFile(join(folder, manifestKey(workspaceId, snapshotId)), 'utf8')),
      );
      const tombstone = encodeTombstone({
        format: 2,
        workspaceId,
        snapshotId,
        manifestSha256,
        prunedAt: '2026-11-20T00:00:00.000Z',
        documents: 13,
        bytes: manifest.documents.reduce((sum, { bytes }) => sum + bytes, 0),
        signedBy: signedBy === null ? null : history.thief.fingerprint,
      });
      await mkdir(join(folder, tombstonesPrefix(workspaceId)), { recursive: true });
      await writeFile(join(folder, tombstoneKey(workspaceId, snapshotId)), tombstone);
      const signature = tombstoneSignatureKey(workspaceId, snapshotId, sha256(tombstone));
      if (signedBy !== null) await writeFile(join(folder, signature), history.thief.signer.sign(tombstone));
      await rm(join(folder, `${snapshotPrefix(workspaceId, snapshotId)}brands`), { recursive: true });
    });
    expect(kinds(report)).toEqual([kind]);
    expect(named(report)).toContain(tombstoneKey(workspaceId, history.ids[1]!));
  });
});
