/** @module-tag long */
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { readNewerView, readView } from '../../../gateway/documents/snapshot-view.ts';
import { Failure } from '../../../lib/failure.ts';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { verifyStore } from '../../../snapshots/verify/verify.ts';
import { receiptKey, tombstoneKey, pointerKey } from '../../../snapshots/layout.ts';
import { encodeTombstone } from '../../../snapshots/manifest.ts';
import { publishSnapshot } from '../../../snapshots/publish/publish.ts';
import { readManifest, readPointer } from '../../../snapshots/read.ts';
import type { Link } from '../../../snapshots/read.ts';
import { remember } from '../../../snapshots/publish/remembered.ts';
import { temporaryFolders } from '../../support/folder.ts';
import { copyStore, keysOf, publishWeek, snapshotIdsOf, workspaceIds } from '../history.ts';
import { publicationOf } from '../publication.ts';
import { makeSignedHistory, workspaceId } from './signed-history.ts';
import type { SignedHistory } from './signed-history.ts';

const newFolder = temporaryFolders();

let history: SignedHistory;
/** Receipts of the newest snapshots: a killed publication leaves none. */
let optional: Set<string>;

beforeAll(async () => {
  history = await makeSignedHistory(await newFolder());
  optional = new Set();
  for (const id of workspaceIds)
    optional.add(receiptKey(id, (await snapshotIdsOf(history.original, id)).at(-1)!));
});

type Tampering = { what: string; a: number; b: number };
const tampering: fc.Arbitrary<Tampering> = fc.record({
  what: fc.constantFrom(
    'pointer',
    'remove',
    'swap',
    'truncate',
    'replay',
    'add',
    'plant',
    'tombstone',
    'fork',
    'receipt',
    'transplant',
  ),
  a: fc.nat(),
  b: fc.nat(),
});

const exists = async (path: string) => await readFile(path).catch(() => null);

/** Changes a copy of the store, with write access and another key. */
async function tamper(folder: string, { what, a, b }: Tampering): Promise<void> {
  const keyOf = (n: number) => join(folder, history.keys[n % history.keys.length]!);
  const [one, two] = [await exists(keyOf(a)), await exists(keyOf(b))];
  const pointer = join(folder, pointerKey(workspaceId));
  if (what === 'pointer') {
    const receipt = await exists(join(folder, receiptKey(workspaceId, history.ids[a % 3]!)));
    if (receipt !== null) await writeFile(pointer, receipt);
  } else if (what === 'remove') await rm(keyOf(a), { force: true });
  else if (what === 'truncate' && one !== null) await truncate(keyOf(a), b % one.length);
  else if (what === 'swap' && one !== null && two !== null) {
    await writeFile(keyOf(a), two);
    await writeFile(keyOf(b), one);
  } else if (what === 'replay' && two !== null && one !== null) await copyFile(keyOf(b), keyOf(a));
  else if (what === 'add') await writeFile(`${dirname(keyOf(a))}/added.json`, '{}').catch(() => undefined);
  else if (what === 'plant') await publishPlanted(folder, workspaceIds[b % 2]!, a);
  else if (what === 'tombstone') await plantTombstone(folder, history.ids[1 + (a % 3)]!);
  else if (what === 'fork') {
    await rm(pointer, { force: true });
    await publishPlanted(folder, workspaceId, a);
  } else if (what === 'receipt') await plantReceipt(folder, a, b);
  else if (what === 'transplant' && one !== null)
    await transplant(folder, history.keys[a % history.keys.length]!);
}

/** A receipt of one snapshot that names another one's manifest, or none that exists. */
async function plantReceipt(folder: string, a: number, b: number): Promise<void> {
  const [snapshotId, other] = [history.ids[a % 4]!, history.ids[b % 4]!];
  const key = join(folder, receiptKey(workspaceId, other));
  const text =
    (await exists(key))?.toString() ??
    (await readFile(join(folder, pointerKey(workspaceId)), 'utf8').catch(() => '{}'));
  const forged = b % 3 === 0 ? text.replace(/[0-9a-f]{64}/, 'a'.repeat(64)) : text;
  const path = join(folder, receiptKey(workspaceId, snapshotId));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, forged);
}

/** An object of one workspace under the same key of the other. */
async function transplant(folder: string, key: string): Promise<void> {
  const [from, to] = key.includes(workspaceIds[0]) ? workspaceIds : workspaceIds.toReversed();
  const target = join(folder, key.replace(from, to));
  await mkdir(dirname(target), { recursive: true });
  await copyFile(join(folder, key), target);
}

/** A snapshot of another key after the one that the pointer names, unless the publisher refuses it. */
async function publishPlanted(folder: string, workspace: string, n: number): Promise<void> {
  const week = `2026-12-${String(1 + (n % 28)).padStart(2, '0')}`;
  await publishWeek(directoryStore(folder), workspace, week, history.thief.signer).catch(ignoreFailure);
}

function ignoreFailure(error: unknown): void {
  if (!(error instanceof Failure)) throw error;
}

async function plantTombstone(folder: string, snapshotId: string): Promise<void> {
  const tombstone = encodeTombstone({
    format: 2,
    workspaceId,
    snapshotId,
    manifestSha256: '0'.repeat(64),
    prunedAt: '2026-11-20T00:00:00Z',
    documents: 13,
    bytes: 1,
    signedBy: null,
  });
  const path = join(folder, tombstoneKey(workspaceId, snapshotId));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, tombstone);
}

/** Every required object, by key. */
async function contentOf(store: ObjectStore): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  for (const key of await keysOf(store))
    if (!optional.has(key)) content.set(key, (await store.get(key))!.bytes.toString('base64'));
  return content;
}

async function headOf(store: ObjectStore): Promise<Link> {
  const { snapshotId, manifestSha256 } = (await readPointer(store, workspaceId))!;
  return { snapshotId, manifestSha256 };
}

test('any two tamperings are found, are not served, and are never extended by a signature', async () => {
  const original = directoryStore(history.original);
  const [seen, content, head] = [
    (await verifyStore(original, { trust: history.own.trust })).heads,
    await contentOf(original),
    await headOf(original),
  ];
  let changed = 0;
  const check = async (tamperings: readonly Tampering[]) => {
    const folder = join(history.root, randomUUID());
    const store = await copyStore(history.original, folder);
    const heads = directoryStore(join(history.root, `${randomUUID()}-lake`));
    await remember(heads, store, workspaceId, { sequence: 4, ...head }, false);
    const served = await readView(store, workspaceId, history.own.trust);
    for (const each of tamperings) await tamper(folder, each);
    const after = await contentOf(store);
    const keys = [...new Set([...content.keys(), ...after.keys()])];
    const altered = keys.filter((key) => after.get(key) !== content.get(key));
    if (altered.length > 0) changed += 1;
    const { isIntact, notes } = await verifyStore(store, { trust: history.own.trust, seen });
    // An object of a snapshot that was never published looks like the leftover of a killed job: a note names it.
    const leftovers = new Set(notes.flatMap(({ kind, objects }) => (kind === 'unpublished' ? objects : [])));
    expect(isIntact ? altered.filter((key) => !leftovers.has(key)) : []).toEqual([]);
    const view = await readNewerView(store, served, history.own.trust).catch((error: unknown) => {
      ignoreFailure(error);
      return served;
    });
    expect(view.pointer?.manifestSha256).toBe(head.manifestSha256);
    const next = { ...publicationOf(60), workspaceId };
    const published = await publishSnapshot(store, next, { signer: history.own.signer, heads }).catch(
      ignoreFailure,
    );
    const current =
      published === undefined ? null : await readManifest(store, workspaceId, await headOf(store));
    expect([undefined, head]).toContainEqual(current?.previous);
    await rm(folder, { recursive: true });
  };
  await fc.assert(fc.asyncProperty(fc.tuple(tampering, tampering), check), { numRuns: 160 });
  expect(changed).toBeGreaterThan(100);
});
