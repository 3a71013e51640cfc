import pMap from 'p-map';
import { Failure } from '../../lib/failure.ts';
import { judgeSignature } from '../../lib/signing.ts';
import type { Trust, Verdict } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { WORKSPACES, signatureKey, tombstoneKey } from '../layout.ts';
import { encodeManifest } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import { READS_AT_ONCE } from './inventory.ts';
import { readChain } from './select.ts';
import type { Entry } from './select.ts';

export interface Listed {
  workspaceId: string;
  snapshotId: string;
  asOf: string;
  manifestSha256: string;
  isCurrent: boolean;
  isPruned: boolean;
  brands: number;
  documents: number;
  bytes: number;
  methodologyVersion: string;
  codeVersion: string;
  duckdbVersion: string;
  /** Fingerprint of the key; null: not signed. */
  signedBy: string | null;
  /** `unchecked`: no key was given to check it with. Null: not signed. */
  signature: Verdict | 'missing' | 'unchecked' | null;
}

/** A chain of which a link does not hold; what is newer than that is listed. */
export interface Broken {
  workspaceId: string;
  reason: string;
}

/** Every published snapshot of the workspaces named, or of all, newest first. */
export async function listSnapshots(
  store: ObjectStore,
  { workspaceId, trust }: { workspaceId?: string | undefined; trust: Trust | null },
): Promise<{ snapshots: Listed[]; broken: Broken[] }> {
  await store.check();
  const workspaces = workspaceId === undefined ? await store.folders(WORKSPACES) : [workspaceId];
  const broken: Broken[] = [];
  const lists = await pMap(
    workspaces,
    async (id) => {
      const { entries, reason } = await readWhatHolds(store, id);
      if (reason !== null) broken.push({ workspaceId: id, reason });
      return await pMap(entries, async (entry, index) => await describe(store, entry, index === 0, trust), {
        concurrency: READS_AT_ONCE,
      });
    },
    { concurrency: READS_AT_ONCE },
  );
  return { snapshots: lists.flat(), broken };
}

async function readWhatHolds(store: ObjectStore, workspaceId: string) {
  const entries: Entry[] = [];
  try {
    for await (const entry of readChain(store, workspaceId)) entries.push(entry);
    return { entries, reason: null };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { entries, reason: error.message };
  }
}

async function describe(
  store: ObjectStore,
  { link, manifest }: Entry,
  isCurrent: boolean,
  trust: Trust | null,
): Promise<Listed> {
  const { workspaceId, snapshotId, asOf, documents, signedBy } = manifest;
  const { methodologyVersion, codeVersion, duckdbVersion } = manifest;
  return {
    workspaceId,
    snapshotId,
    asOf,
    manifestSha256: link.manifestSha256,
    isCurrent,
    isPruned: (await store.get(tombstoneKey(workspaceId, snapshotId))) !== null,
    brands: brandsOf(manifest).length,
    documents: documents.length,
    bytes: documents.reduce((sum, document) => sum + document.bytes, 0),
    methodologyVersion,
    codeVersion,
    duckdbVersion,
    signedBy,
    signature: await signatureOf(store, { link, manifest }, trust),
  };
}

/** The ids of the brands that a snapshot has documents of, in order. */
export function brandsOf({ documents }: Pick<Manifest, 'documents'>): string[] {
  return [...new Set(documents.flatMap(({ path }) => /^brands\/([^/]+)\//.exec(path)?.[1] ?? []))];
}

async function signatureOf(
  store: ObjectStore,
  { link, manifest }: Entry,
  trust: Trust | null,
): Promise<Listed['signature']> {
  if (manifest.signedBy === null) return null;
  const { workspaceId, snapshotId, signedBy } = manifest;
  const signature = await store.get(signatureKey(workspaceId, snapshotId, link.manifestSha256));
  if (signature === null) return 'missing';
  // The manifest was read by its hash, and canonical encoding gives those bytes back.
  return trust === null
    ? 'unchecked'
    : judgeSignature(trust, signedBy, encodeManifest(manifest), signature.bytes);
}
