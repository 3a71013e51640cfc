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

/** Paths inside a snapshot, as its manifest lists them. */
export const BRANDS_PATH = 'brands.json';

export function documentPath(brandId: string, kind: DocumentKind): string {
  return `brands/${brandId}/${kind}.json`;
}
