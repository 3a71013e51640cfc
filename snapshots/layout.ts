/** Builds all object keys of a snapshot store (docs/decisions/0002-snapshot-layout.md). */

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
 * The two possible keys of a manifest: its usual name, or an alternate one if a publication that never became current
 * has taken the usual name. The hash decides which of the two is meant.
 */
export function manifestKeys(
  workspaceId: string,
  snapshotId: string,
  manifestSha256: string,
): [usual: string, alternate: string] {
  const alternate = `${snapshotPrefix(workspaceId, snapshotId)}manifest.${manifestSha256.slice(0, 16)}.json`;
  return [manifestKey(workspaceId, snapshotId), alternate];
}

/**
 * The Ed25519 signature over a manifest's bytes: exactly 64 bytes. Its name contains the manifest's hash, so that with
 * two jobs at once, neither can leave its signature next to the other's manifest.
 */
export function signatureKey(workspaceId: string, snapshotId: string, manifestSha256: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}manifest.${manifestSha256.slice(0, 16)}.sig`;
}

/**
 * The receipt: a copy of the pointer that made the snapshot current. It distinguishes a published snapshot from a
 * leftover.
 */
export function receiptKey(workspaceId: string, snapshotId: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}receipt.json`;
}

/**
 * The list of all snapshots before a snapshot. Its name contains its hash, because two jobs that publish at once may
 * have different lists.
 */
export function historyKey(workspaceId: string, snapshotId: string, historySha256: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}history.${historySha256.slice(0, 16)}.json`;
}

/** A separate folder, so that one list request returns every pruned snapshot of a workspace. */
export function tombstonesPrefix(workspaceId: string): string {
  return `${workspacePrefix(workspaceId)}tombstones/`;
}

/** The tombstone: records that the documents were pruned on purpose. */
export function tombstoneKey(workspaceId: string, snapshotId: string): string {
  return `${tombstonesPrefix(workspaceId)}${snapshotId}.json`;
}

/** Its name contains the tombstone's hash, so that it can be written before the tombstone. */
export function tombstoneSignatureKey(workspaceId: string, snapshotId: string, hash: string): string {
  return `${tombstonesPrefix(workspaceId)}${snapshotId}.${hash.slice(0, 16)}.sig`;
}

export const INPUTS = 'inputs/';

/** The list of lake objects that snapshots were computed from; all workspaces of a run share it. */
export function inputsKey(inputsSha256: string): string {
  return `${INPUTS}${inputsSha256}.json`;
}

/** In the lake, not in the store: the newest head of each workspace that the publisher has seen. */
export const HEADS = 'heads/';

export function headKey(workspaceId: string): string {
  return `${HEADS}${workspaceId}.json`;
}

/** The reverse of {@link headKey}. */
export function workspaceOfHead(key: string): string {
  return key.slice(HEADS.length, -'.json'.length);
}

/** Paths inside a snapshot, as its manifest lists them. */
export const BRANDS_PATH = 'brands.json';

export function documentPath(brandId: string, kind: DocumentKind): string {
  return `brands/${brandId}/${kind}.json`;
}

/** The ids of the brands in a manifest's documents. */
export function brandsOf(documents: readonly { path: string }[]): Set<string> {
  return new Set(documents.flatMap(({ path }) => (path === BRANDS_PATH ? [] : [path.split('/')[1]!])));
}

/** The lease of the running scheduled job. `scope` names its workspaces: lower-case letters, digits and `-`. */
export function leaseKey(scope: string): string {
  return `schedule/${scope}/lease.json`;
}

/** The last scheduled instant whose run is complete. */
export function completedKey(scope: string): string {
  return `schedule/${scope}/completed.json`;
}

/** True for the schedule's objects, which change often and are not part of any snapshot. */
export function isScheduleKey(key: string): boolean {
  return /^schedule\/[a-z0-9-]+\/(?:lease|completed)\.json$/.test(key);
}

/** The meaning of a key. `of`: the beginning of the hash of the manifest, history or tombstone that it belongs to. */
export type KeyMeaning =
  | { workspaceId: string; snapshotId: null; part: 'pointer' }
  | { workspaceId: string; snapshotId: string; part: 'manifest' | 'receipt' | 'tombstone' }
  | { workspaceId: string; snapshotId: string; part: 'document'; path: string }
  | { workspaceId: string; snapshotId: string; part: NamedByHash; of: string };

type NamedByHash = 'alternateManifest' | 'signature' | 'history' | 'tombstoneSignature';

const namedByHash: Record<string, NamedByHash> = {
  'manifest.json': 'alternateManifest',
  'manifest.sig': 'signature',
  'history.json': 'history',
};

export const SNAPSHOT_ID = String.raw`\d{8}T\d{6}\.\d{3,6}Z-[0-9a-f]{16}`;
const KEY = new RegExp(
  `^${WORKSPACES}(${UUID_PATTERN})/(?:(current\\.json)|snapshots/(${SNAPSHOT_ID})/(.+)|tombstones/(${SNAPSHOT_ID})\\.(.+))$`,
);
const DOCUMENT = new RegExp(
  `^(?:${BRANDS_PATH}|brands/${UUID_PATTERN}/(?:${documentKinds.join('|')})\\.json)$`,
);

/** True for the path of a document inside a snapshot. */
export function isDocumentPath(path: string): boolean {
  return DOCUMENT.test(path);
}

/** True for the key of a list of inputs. */
export function isInputsKey(key: string): boolean {
  return /^inputs\/[0-9a-f]{64}\.json$/.test(key);
}

/** Parses a key of a workspace; null if no command writes such a key. */
export function readKey(key: string): KeyMeaning | null {
  const [, workspaceId, pointer, snapshotId, path, buried, ending] = KEY.exec(key) ?? [];
  if (workspaceId === undefined) return null;
  if (pointer !== undefined) return { workspaceId, snapshotId: null, part: 'pointer' };
  if (buried !== undefined) return readTombstoneKey(workspaceId, buried, ending!);
  return readSnapshotKey(workspaceId, snapshotId!, path!);
}

function readTombstoneKey(workspaceId: string, snapshotId: string, ending: string): KeyMeaning | null {
  if (ending === 'json') return { workspaceId, snapshotId, part: 'tombstone' };
  const of = /^([0-9a-f]{16})\.sig$/.exec(ending)?.[1];
  return of === undefined ? null : { workspaceId, snapshotId, part: 'tombstoneSignature', of };
}

function readSnapshotKey(workspaceId: string, snapshotId: string, path: string): KeyMeaning | null {
  if (path === 'manifest.json') return { workspaceId, snapshotId, part: 'manifest' };
  if (path === 'receipt.json') return { workspaceId, snapshotId, part: 'receipt' };
  const [, name, of, ending] = /^([a-z]+)\.([0-9a-f]{16})\.([a-z]+)$/.exec(path) ?? [];
  const part = namedByHash[`${name}.${ending}`];
  if (of !== undefined && part !== undefined) return { workspaceId, snapshotId, part, of };
  return DOCUMENT.test(path) ? { workspaceId, snapshotId, part: 'document', path } : null;
}
