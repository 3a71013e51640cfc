import { encodeText, sha256Hex } from '../../../lib/proofs/bytes.ts';

/** The id of the snapshot in the path of a document of a snapshot, which never changes; null for any other path. */
export function finalSnapshotOf(path: string): string | null {
  const [, snapshotId, document] = /^\/api\/v1\/snapshots\/([^/]+)\/(.+)$/.exec(path) ?? [];
  // A proof leads to the newest head of the log.
  return document === undefined || document === 'proof' ? null : decodeURIComponent(snapshotId!);
}

/**
 * Under which a document of a snapshot is stored: with a digest of the key, because it is used without a request, and keys
 * of several workspaces may share a store.
 */
export async function finalEntryOf(url: string, authorization: string): Promise<string> {
  return `${url}#${await sha256Hex(encodeText(authorization))}`;
}
