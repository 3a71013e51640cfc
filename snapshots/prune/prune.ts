import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import { formats } from '../../lib/store/formats.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Signer, Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { WORKSPACES, snapshotPrefix, tombstoneKey, tombstoneSignatureKey } from '../layout.ts';
import { encodeTombstone } from '../manifest.ts';
import type { Manifest, PastSnapshot } from '../manifest.ts';
import { createExactly } from '../publish/sign.ts';
import { READS_AT_ONCE } from '../verify/workspace/inventory.ts';
import { lastOfEachWeek, weekOf, readEntry, readSnapshots, readSnapshotsIfAny } from '../audit/select.ts';
import type { Entry } from '../audit/select.ts';
import { verifyStore } from '../verify/verify.ts';

/** All snapshots of the N newest weeks, by as-of time, or the snapshot that was current at the end of a day. */
export type Keep = { newest: number } | { date: string };

export interface PruneOptions {
  workspaceId?: string | undefined;
  /** A snapshot is kept if any of these rules keeps it. The current snapshot is always kept. */
  keep: readonly Keep[];
  signer?: Signer | undefined;
  /** Null: the signer's own key. */
  trust: Trust | null;
  /** Milliseconds since the Unix epoch, for the tombstones. */
  now: number;
  isDryRun: boolean;
}

export interface Pruned {
  snapshotId: string;
  asOf: string;
  documents: number;
  bytes: number;
}

/** The snapshots of one workspace that are pruned, or would be; empty if everything is kept. */
export interface PrunedWorkspace {
  workspaceId: string;
  snapshots: Pruned[];
}

/**
 * Removes the documents of old snapshots. Of each it leaves the manifest and a tombstone, signed if there is a signer:
 * the chain stays complete, and the history can still be verified.
 * @returns for every selected workspace, what was removed, or would be
 * @throws Failure, before anything is removed, if one of the workspaces does not verify, a date to keep has no
 * snapshot, or the tombstones of a signed workspace cannot be signed with a trusted key.
 */
export async function pruneSnapshots(store: ObjectStore, options: PruneOptions): Promise<PrunedWorkspace[]> {
  await store.check();
  const { workspaceId } = options;
  const workspaces = workspaceId === undefined ? await store.folders(WORKSPACES) : [workspaceId];
  const plans: { workspaceId: string; due: Entry[] }[] = [];
  for (const id of workspaces) {
    const due = await dueOf(store, id, options);
    if (due.length > 0) await refuseUnlessSound(store, id, due, options);
    plans.push({ workspaceId: id, due });
  }
  if (!options.isDryRun) {
    for (const { due } of plans) for (const entry of due) await pruneOne(store, entry, options);
  }
  return plans.map(({ workspaceId: id, due }) => ({
    workspaceId: id,
    snapshots: due.map(({ manifest }) => described(manifest)),
  }));
}

/** The snapshots whose documents are to be removed, newest first. */
async function dueOf(
  store: ObjectStore,
  workspaceId: string,
  { keep, workspaceId: named }: PruneOptions,
): Promise<Entry[]> {
  const read = named === undefined ? readSnapshotsIfAny : readSnapshots;
  const found = await read(store, workspaceId);
  if (found === null) return []; // its first publication is running, or was killed
  const { snapshots } = found;
  const kept = keptOf(workspaceId, snapshots, keep);
  const due: Entry[] = [];
  for (const past of snapshots) {
    if (kept.has(past.snapshotId)) continue;
    const entry = await readEntry(store, workspaceId, past);
    if (await hasDocuments(store, entry.manifest)) due.push(entry);
  }
  return due;
}

/** @param snapshots newest first */
function keptOf(workspaceId: string, snapshots: readonly PastSnapshot[], keep: readonly Keep[]): Set<string> {
  const kept = snapshots.slice(0, 1);
  for (const rule of keep) {
    if ('newest' in rule) {
      const weeks = new Set(
        lastOfEachWeek(snapshots)
          .slice(0, rule.newest)
          .map(({ asOf }) => weekOf(asOf)),
      );
      kept.push(...snapshots.filter(({ asOf }) => weeks.has(weekOf(asOf))));
      continue;
    }
    const current = snapshots.find(({ publishedAt }) => publishedAt.slice(0, 10) <= rule.date);
    if (current === undefined) {
      throw new Failure(
        `workspace ${workspaceId} had no snapshot on ${rule.date}, so --keep ${rule.date} keeps nothing; the list command shows what there is`,
      );
    }
    kept.push(current);
  }
  return new Set(kept.map(({ snapshotId }) => snapshotId));
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
  { signer, trust, isDryRun }: PruneOptions,
): Promise<void> {
  const isSigned = due.some(({ manifest }) => manifest.signedBy !== null);
  if (!isDryRun && signer === undefined && isSigned) {
    throw new Failure(
      `workspace ${workspaceId} is signed: set SIGNING_KEY_FILE, so that its tombstones can be too`,
    );
  }
  if (signer !== undefined && trust !== null && !trust.has(signer.fingerprint)) {
    throw new Failure(
      'the key of SIGNING_KEY_FILE is not one of those to trust; its tombstones would not verify',
    );
  }
  // Without public keys, its own: a tombstone must not confirm a history that someone else continued.
  const trusted = trust ?? (isSigned ? (signer?.trust ?? null) : null);
  const { problems } = await verifyStore(store, { workspaceId, trust: trusted });
  if (problems.length > 0) {
    throw new Failure(
      `workspace ${workspaceId} does not verify, and nothing of any workspace was removed: ${problems[0]!.objects[0]}: ${problems[0]!.message}`,
    );
  }
}

function described({ snapshotId, asOf, documents }: Manifest): Pruned {
  const bytes = documents.reduce((sum, document) => sum + document.bytes, 0);
  return { snapshotId, asOf, documents: documents.length, bytes };
}

/** With a clock that was set back, the removal must not appear to be before the publication. */
function laterOf(a: string, b: string): string {
  return a > b ? a : b;
}

async function pruneOne(
  store: ObjectStore,
  { link, manifest }: Entry,
  { signer, now }: Pick<PruneOptions, 'signer' | 'now'>,
): Promise<void> {
  const { workspaceId } = manifest;
  const { snapshotId, documents, bytes } = described(manifest);
  const { manifestSha256 } = link;
  const key = tombstoneKey(workspaceId, snapshotId);
  if ((await store.get(key)) === null) {
    const tombstone = encodeTombstone({
      format: formats.store,
      workspaceId,
      snapshotId,
      manifestSha256,
      prunedAt: laterOf(new Date(now).toISOString(), manifest.publishedAt),
      documents,
      bytes,
      signedBy: signer?.fingerprint ?? null,
    });
    if (signer !== undefined) {
      const signatureKey = tombstoneSignatureKey(workspaceId, snapshotId, sha256(tombstone));
      await createExactly(store, signatureKey, signer.sign(tombstone));
    }
    await store.create(key, tombstone); // false: another pruning was faster and wrote an equivalent tombstone
  }
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  await pMap(manifest.documents, async ({ path }) => await store.delete(`${prefix}${path}`), {
    concurrency: READS_AT_ONCE,
  });
}
