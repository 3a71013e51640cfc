import pMap from 'p-map';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { snapshotPrefix } from '../../layout.ts';
import { asOfOfId } from '../../manifest.ts';
import type { Manifest } from '../../manifest.ts';
import type { Reporter } from '../findings.ts';
import { READS_AT_ONCE } from './inventory.ts';
import type { Folder, Inventory } from './inventory.ts';

export interface DocumentsToCheck {
  folder: Folder;
  manifest: Manifest;
  /** True for a pruned or unpublished snapshot: documents may be missing, but those that exist must match. */
  isPruned: boolean;
  /** Selects documents of the manifest; if absent, all are checked. */
  isSelected?: ((path: string) => boolean) | undefined;
}

/** Part I of N of all documents. */
export interface Subset {
  part: number;
  of: number;
}

const DAY_MS = 86_400_000;

/** The part for a day (UTC): another one each day, all within N days. @param now milliseconds since the Unix epoch */
export function partOfDay(now: number, of: number): number {
  return (Math.floor(now / DAY_MS) % of) + 1;
}

/** True if a document belongs to the part, by the hash of its key: a document is always in the same part. */
export function isInSubset(key: string, { part, of }: Subset): boolean {
  return Number.parseInt(sha256(key).slice(0, 12), 16) % of === part - 1;
}

export interface Checked {
  documents: number;
  bytes: number;
}

/** Hashes every document and compares it with its manifest. */
export async function checkDocuments(
  store: ObjectStore,
  inventory: Inventory,
  snapshots: readonly DocumentsToCheck[],
  report: Reporter,
): Promise<Checked> {
  const checked = { documents: 0, bytes: 0 };
  const owners = lazy(() => ownersOf(inventory));
  for (const snapshot of snapshots) {
    const { folder, manifest, isPruned, isSelected = () => true } = snapshot;
    const prefix = snapshotPrefix(inventory.workspaceId, folder.snapshotId);
    const ref = { snapshotId: folder.snapshotId, asOf: asOfOfId(folder.snapshotId) };
    reportExtra(snapshot, prefix, report);
    const listed = manifest.documents.filter(({ path }) => isSelected(path));
    const there = listed.filter(({ path }) => folder.documents.has(path));
    if (folder.hasTombstone && isPruned && there.length > 0) {
      const keys = there.map(({ path }) => `${prefix}${path}`);
      report.note(
        'pruning_unfinished',
        keys,
        'pruning was killed, or is still running: documents are left',
        ref,
      );
    }
    await pMap(
      isPruned ? there : listed,
      async (document) => {
        const key = `${prefix}${document.path}`;
        const found = folder.documents.has(document.path) ? await hashOf(store, key) : null;
        if (found === null) {
          if (!isPruned) report.problem('missing', [key], 'this document is missing', ref);
          return;
        }
        checked.documents += 1;
        checked.bytes += found.bytes;
        if (found.sha256 === document.sha256) return;
        const owner = owners().get(found.sha256);
        if (owner !== undefined) {
          report.problem('swapped', [key], `this document has the bytes of ${owner}`, ref);
        } else {
          const message = `the bytes of this document are not the published ones: sha256 ${found.sha256}, not ${document.sha256}`;
          report.problem('altered', [key], message, ref);
        }
      },
      { concurrency: READS_AT_ONCE },
    );
  }
  return checked;
}

function reportExtra({ folder, manifest }: DocumentsToCheck, prefix: string, report: Reporter): void {
  const listed = new Set(manifest.documents.map(({ path }) => path));
  for (const path of folder.documents) {
    if (listed.has(path)) continue;
    const ref = { snapshotId: folder.snapshotId, asOf: manifest.asOf };
    report.problem('extra', [`${prefix}${path}`], 'the manifest does not list this document', ref);
  }
}

async function hashOf(store: ObjectStore, key: string): Promise<{ bytes: number; sha256: string } | null> {
  if (store.hash !== undefined) return store.hash(key);
  const object = await store.get(key);
  return object === null ? null : { bytes: object.bytes.length, sha256: sha256(object.bytes) };
}

/** The key of the document with a hash, over all manifests of the workspace. */
function ownersOf({ workspaceId, folders }: Inventory): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { snapshotId, manifests } of folders.values()) {
    for (const { path, sha256: hash } of manifests.flatMap(({ content }) => content?.documents ?? [])) {
      owners.set(hash, `${snapshotPrefix(workspaceId, snapshotId)}${path}`);
    }
  }
  return owners;
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
