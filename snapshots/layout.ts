/** The only speller of object keys in a snapshot store (docs/decisions/0002-snapshot-layout.md). */

import { UUID_PATTERN } from '../lib/uuid.ts';
import { documentKinds } from '../lib/documents/kinds.ts';
import type { DocumentKind } from '../lib/documents/kinds.ts';

export { documentKinds };
export type { DocumentKind };

export const WORKSPACES = 'workspaces/';

export function workspacePrefix(workspaceId: string): string {
  return `${WORKSPACES}${workspaceId}/`;
}

/** The pointer: the only object of a workspace that ever changes. */
export function pointerKey(workspaceId: string): string {
  return `${workspacePrefix(workspaceId)}current.json`;
}

export function snapshotsPrefix(workspaceId: string): string {
  return `${workspacePrefix(workspaceId)}snapshots/`;
}

export function snapshotPrefix(workspaceId: string, snapshotId: string): string {
  return `${snapshotsPrefix(workspaceId)}${snapshotId}/`;
}

export function manifestKey(workspaceId: string, snapshotId: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}manifest.json`;
}

/**
 * Where the manifest of this hash may lie: under its usual name, or, where that was taken by a publication that never
 * became current, beside it. The hash decides which of the two is meant.
 */
export function manifestKeys(
  workspaceId: string,
  snapshotId: string,
  manifestSha256: string,
): [usual: string, beside: string] {
  const beside = `${snapshotPrefix(workspaceId, snapshotId)}manifest.${manifestSha256.slice(0, 16)}.json`;
  return [manifestKey(workspaceId, snapshotId), beside];
}

/**
 * The Ed25519 signature over a manifest's bytes, 64 bytes and nothing else. Named after the manifest's hash, so that
 * of two jobs that publish at once neither can leave its signature beside the manifest of the other.
 */
export function signatureKey(workspaceId: string, snapshotId: string, manifestSha256: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}manifest.${manifestSha256.slice(0, 16)}.sig`;
}

/** A copy of the pointer that made the snapshot the current one: what tells a published snapshot from a left-over. */
export function receiptKey(workspaceId: string, snapshotId: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}receipt.json`;
}

/** Says that the documents were pruned on purpose. */
export function tombstoneKey(workspaceId: string, snapshotId: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}tombstone.json`;
}

/** Named after the tombstone's hash, so that it can be there before the tombstone. */
export function tombstoneSignatureKey(workspaceId: string, snapshotId: string, hash: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}tombstone.${hash.slice(0, 16)}.sig`;
}

/** Paths inside a snapshot, as its manifest lists them. */
export const BRANDS_PATH = 'brands.json';

export function documentPath(brandId: string, kind: DocumentKind): string {
  return `brands/${brandId}/${kind}.json`;
}

/** The ids of the brands that a manifest's documents are of. */
export function brandsOf(documents: readonly { path: string }[]): Set<string> {
  return new Set(documents.flatMap(({ path }) => (path === BRANDS_PATH ? [] : [path.split('/')[1]!])));
}

/** Who runs the scheduled job now. `scope` says which workspaces it is for: small letters, digits and `-`. */
export function leaseKey(scope: string): string {
  return `schedule/${scope}/lease.json`;
}

/** The last scheduled instant that was run for. */
export function completedKey(scope: string): string {
  return `schedule/${scope}/completed.json`;
}

/** True for what the schedule writes down: no part of what is published, and changed over and over. */
export function isScheduleKey(key: string): boolean {
  return /^schedule\/[a-z0-9-]+\/(?:lease|completed)\.json$/.test(key);
}

/** What a key means. `of` is the beginning of the hash of what is signed, or of the manifest that lies beside. */
export type KeyMeaning =
  | { workspaceId: string; snapshotId: null; part: 'pointer' }
  | { workspaceId: string; snapshotId: string; part: SnapshotPart }
  | { workspaceId: string; snapshotId: string; part: 'document'; path: string }
  | { workspaceId: string; snapshotId: string; part: NamedByHash; of: string };

type NamedByHash = 'manifestBeside' | 'signature' | 'tombstoneSignature';

export type SnapshotPart = 'manifest' | 'receipt' | 'tombstone';

const parts: Record<string, SnapshotPart> = {
  'manifest.json': 'manifest',
  'receipt.json': 'receipt',
  'tombstone.json': 'tombstone',
};

const namedByHash: Record<string, NamedByHash> = {
  'manifest.json': 'manifestBeside',
  'manifest.sig': 'signature',
  'tombstone.sig': 'tombstoneSignature',
};

const KEY = new RegExp(
  `^${WORKSPACES}(${UUID_PATTERN})/(?:current\\.json|snapshots/([0-9TZ.]+-[0-9a-f]{16})/(.+))$`,
);
const DOCUMENT = new RegExp(
  `^(?:${BRANDS_PATH}|brands/${UUID_PATTERN}/(?:${documentKinds.join('|')})\\.json)$`,
);

/** Null for a key that no part of this project writes. */
export function readKey(key: string): KeyMeaning | null {
  const [, workspaceId, snapshotId, path] = KEY.exec(key) ?? [];
  if (workspaceId === undefined) return null;
  if (snapshotId === undefined || path === undefined)
    return { workspaceId, snapshotId: null, part: 'pointer' };
  const part = parts[path];
  if (part !== undefined) return { workspaceId, snapshotId, part };
  const [, name, of, ending] = /^([a-z]+)\.([0-9a-f]{16})\.([a-z]+)$/.exec(path) ?? [];
  const named = namedByHash[`${name}.${ending}`];
  if (of !== undefined && named !== undefined) return { workspaceId, snapshotId, part: named, of };
  return DOCUMENT.test(path) ? { workspaceId, snapshotId, part: 'document', path } : null;
}
