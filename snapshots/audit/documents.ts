import pMap from 'p-map';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { snapshotPrefix } from '../layout.ts';
import { asOfOfId } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import type { Reporter } from './findings.ts';
import { READS_AT_ONCE } from './inventory.ts';
import type { Folder, Inventory } from './inventory.ts';

export interface DocumentsToCheck {
  folder: Folder;
  manifest: Manifest;
  /** The documents were removed on purpose: those that are still there must be sound, none needs to be there. */
  isPruned: boolean;
}

export interface Checked {
  documents: number;
  bytes: number;
}

/** Hashes every document and compares it with its manifest, a bounded number at a time. */
export async function checkDocuments(
  store: ObjectStore,
  inventory: Inventory,
  snapshots: readonly DocumentsToCheck[],
  report: Reporter,
): Promise<Checked> {
  const checked = { documents: 0, bytes: 0 };
  const owners = lazy(() => ownersOf(inventory));
  for (const snapshot of snapshots) {
    const { folder, manifest, isPruned } = snapshot;
    const prefix = snapshotPrefix(inventory.workspaceId, folder.snapshotId);
    const concerned = { snapshotId: folder.snapshotId, asOf: asOfOfId(folder.snapshotId) };
    reportExtra(snapshot, prefix, report);
    const there = manifest.documents.filter(({ path }) => folder.documents.has(path));
    if (isPruned && there.length > 0) {
      const keys = there.map(({ path }) => `${prefix}${path}`);
      report.note('pruning unfinished', keys, 'pruning died, or is at work: documents are left', concerned);
    }
    await pMap(
      isPruned ? there : manifest.documents,
      async (document) => {
        const key = `${prefix}${document.path}`;
        const found = folder.documents.has(document.path) ? await hashOf(store, key) : null;
        if (found === null) {
          if (!isPruned) report.problem('missing', [key], 'this document is missing', concerned);
          return;
        }
        checked.documents += 1;
        checked.bytes += found.bytes;
        if (found.sha256 === document.sha256) return;
        const owner = owners().get(found.sha256);
        if (owner !== undefined) {
          report.problem('swapped', [key], `this document has the bytes of ${owner}`, concerned);
        } else {
          const message = `this document has other bytes than were published: sha256 ${found.sha256}, not ${document.sha256}`;
          report.problem('altered', [key], message, concerned);
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
    const concerned = { snapshotId: folder.snapshotId, asOf: manifest.asOf };
    report.problem('extra', [`${prefix}${path}`], 'the manifest does not list this document', concerned);
  }
}

async function hashOf(store: ObjectStore, key: string): Promise<{ bytes: number; sha256: string } | null> {
  if (store.hash !== undefined) return store.hash(key);
  const object = await store.get(key);
  return object === null ? null : { bytes: object.bytes.length, sha256: sha256(object.bytes) };
}

/** Which document a hash belongs to, over all manifests of the workspace. */
function ownersOf({ workspaceId, folders }: Inventory): Map<string, string> {
  const owners = new Map<string, string>();
  for (const { snapshotId, manifest } of folders.values()) {
    for (const { path, sha256: hash } of manifest?.content?.documents ?? []) {
      owners.set(hash, `${snapshotPrefix(workspaceId, snapshotId)}${path}`);
    }
  }
  return owners;
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
