import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { snapshotPrefix } from '../layout.ts';
import type { Manifest } from '../manifest.ts';
import type { Reporter } from './findings.ts';
import { hashOf } from './stored.ts';

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

/**
 * Hashes the documents of a snapshot and compares them with its manifest.
 * @param there the keys that the store lists
 * @param ownerOf the key of the document of the workspace that has a hash: it distinguishes swapped documents from altered ones
 */
export async function checkDocuments(
  store: ObjectStore,
  { workspaceId, snapshotId, documents }: Manifest,
  {
    there,
    isSelected,
    ownerOf,
  }: {
    there: ReadonlySet<string>;
    isSelected: (key: string) => boolean;
    ownerOf: (hash: string) => string | undefined;
  },
  report: Reporter,
): Promise<void> {
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  const selected = documents.filter(({ path }) => isSelected(`${prefix}${path}`));
  await manyAtOnce(selected, async ({ path, bytes, sha256: expected }) => {
    const key = `${prefix}${path}`;
    const about = { workspaceId, snapshotId, sha256: expected };
    const found = there.has(key) ? await hashOf(store, key, bytes) : null;
    if (found === null) return report.problem('missing', [key], 'this document is missing', about);
    report.checked.documents += 1;
    report.checked.bytes += found.bytes;
    if (found.sha256 === expected) return;
    const owner = ownerOf(found.sha256);
    if (owner !== undefined)
      return report.problem('swapped', [key], `this document has the bytes of ${owner}`, about);
    const message = `the bytes of this document are not the published ones: sha256 ${found.sha256}, not ${expected}`;
    report.problem('altered', [key], message, about);
  });
}
