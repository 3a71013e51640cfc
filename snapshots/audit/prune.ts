import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Signer, Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { WORKSPACES, snapshotPrefix, tombstoneKey, tombstoneSignatureKey } from '../layout.ts';
import { encodeTombstone } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import { createExactly } from '../sign.ts';
import { READS_AT_ONCE } from './inventory.ts';
import { readChain } from './select.ts';
import type { Entry } from './select.ts';
import { verifyStore } from './verify.ts';

/** The so many newest, or the one that was current at the end of a day. */
export type Keep = { newest: number } | { date: string };

export interface PruneOptions {
  workspaceId?: string | undefined;
  /** What any of these keeps stays; the current snapshot stays in any case. */
  keep: readonly Keep[];
  signer?: Signer | undefined;
  trust: Trust | null;
  /** Milliseconds since the Unix epoch, for the tombstones. */
  now: number;
  isDryRun: boolean;
}

export interface Pruned {
  workspaceId: string;
  snapshotId: string;
  asOf: string;
  documents: number;
  bytes: number;
}

/**
 * Removes the documents of old snapshots, and leaves of each its manifest and a tombstone, signed where there is a
 * signer: the chain holds, and what had been published can still be told.
 * @returns what was removed, or would be.
 * @throws Failure, before anything is removed, where a workspace does not verify: that would destroy evidence.
 */
export async function pruneSnapshots(store: ObjectStore, options: PruneOptions): Promise<Pruned[]> {
  await store.check();
  const { workspaceId } = options;
  const workspaces = workspaceId === undefined ? await store.folders(WORKSPACES) : [workspaceId];
  const pruned: Pruned[] = [];
  for (const id of workspaces) {
    const entries: Entry[] = [];
    for await (const entry of readChain(store, id)) entries.push(entry);
    const kept = keptOf(entries, options.keep);
    const candidates = entries.filter(({ manifest }) => !kept.has(manifest.snapshotId));
    const due: Entry[] = [];
    for (const entry of candidates) if (await hasDocuments(store, entry.manifest)) due.push(entry);
    if (due.length === 0) continue;
    await refuseUnlessSound(store, id, due, options);
    pruned.push(...due.map(({ manifest }) => described(manifest)));
    if (options.isDryRun) continue;
    for (const entry of due) await pruneOne(store, entry, options);
  }
  return pruned;
}

/** @param entries newest first */
function keptOf(entries: readonly Entry[], keep: readonly Keep[]): Set<string> {
  const kept = entries.slice(0, 1);
  for (const rule of keep) {
    if ('newest' in rule) kept.push(...entries.slice(0, rule.newest));
    else kept.push(...entries.filter(({ manifest }) => manifest.asOf.slice(0, 10) <= rule.date).slice(0, 1));
  }
  return new Set(kept.map(({ manifest }) => manifest.snapshotId));
}

async function hasDocuments(store: ObjectStore, { workspaceId, snapshotId }: Manifest): Promise<boolean> {
  if ((await store.get(tombstoneKey(workspaceId, snapshotId))) === null) return true;
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  for await (const { key } of store.list(`${prefix}brands/`)) return key !== '';
  return (await store.get(`${prefix}brands.json`)) !== null;
}

async function refuseUnlessSound(
  store: ObjectStore,
  workspaceId: string,
  due: readonly Entry[],
  { signer, trust }: PruneOptions,
): Promise<void> {
  if (signer === undefined && due.some(({ manifest }) => manifest.signedBy !== null)) {
    throw new Failure(
      `workspace ${workspaceId} is signed: set SIGNING_KEY_FILE, so that its tombstones can be too`,
    );
  }
  if (signer !== undefined && trust !== null && !trust.has(signer.fingerprint)) {
    throw new Failure(
      'the key of SIGNING_KEY_FILE is not one of those to trust; its tombstones would not verify',
    );
  }
  const { problems } = await verifyStore(store, { workspaceId, trust });
  if (problems.length > 0) {
    throw new Failure(
      `workspace ${workspaceId} does not verify, and nothing of it was removed: ${problems[0]!.objects[0]}: ${problems[0]!.message}`,
    );
  }
}

function described({ workspaceId, snapshotId, asOf, documents }: Manifest): Pruned {
  const bytes = documents.reduce((sum, document) => sum + document.bytes, 0);
  return { workspaceId, snapshotId, asOf, documents: documents.length, bytes };
}

async function pruneOne(
  store: ObjectStore,
  { link, manifest }: Entry,
  { signer, now }: Pick<PruneOptions, 'signer' | 'now'>,
): Promise<void> {
  const { workspaceId, snapshotId, documents, bytes } = described(manifest);
  const { manifestSha256 } = link;
  const key = tombstoneKey(workspaceId, snapshotId);
  if ((await store.get(key)) === null) {
    const tombstone = encodeTombstone({
      format: 1,
      workspaceId,
      snapshotId,
      manifestSha256,
      prunedAt: new Date(now).toISOString(),
      documents,
      bytes,
      signedBy: signer?.fingerprint ?? null,
    });
    if (signer !== undefined) {
      const signatureKey = tombstoneSignatureKey(workspaceId, snapshotId, sha256(tombstone));
      await createExactly(store, signatureKey, signer.sign(tombstone));
    }
    await store.create(key, tombstone); // false: another pruning was faster, and its tombstone says the same
  }
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  await pMap(manifest.documents, async ({ path }) => await store.delete(`${prefix}${path}`), {
    concurrency: READS_AT_ONCE,
  });
}
