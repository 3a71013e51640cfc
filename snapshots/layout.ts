/** The only speller of object keys in a snapshot store (docs/decisions/0002-snapshot-layout.md). */

import type { DocumentKind } from '../lib/documents/kinds.ts';

export { documentKinds } from '../lib/documents/kinds.ts';
export type { DocumentKind } from '../lib/documents/kinds.ts';

export const WORKSPACES = 'workspaces/';

export function workspacePrefix(workspaceId: string): string {
  return `${WORKSPACES}${workspaceId}/`;
}

/** The pointer: the only object that ever changes. */
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

export function tombstoneSignatureKey(workspaceId: string, snapshotId: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}tombstone.sig`;
}

/** Paths inside a snapshot, as its manifest lists them. */
export const BRANDS_PATH = 'brands.json';

export function documentPath(brandId: string, kind: DocumentKind): string {
  return `brands/${brandId}/${kind}.json`;
}
