/**
 * Builds and reads all object keys of a snapshot store, and of the log's part of a lake
 * (docs/decisions/0025-the-store-is-one-log.md).
 */

import { documentKinds } from '../lib/documents/kinds.ts';
import type { DocumentKind } from '../lib/documents/kinds.ts';
import { sha256 } from '../lib/hash.ts';
import { apiTables } from '../lib/tables/names.ts';
import type { ApiTable } from '../lib/tables/names.ts';
import { UUID_PATTERN } from '../lib/uuid.ts';

export { documentKinds };
export type { DocumentKind };

export const WORKSPACES = 'workspaces/';

export function workspacePrefix(workspaceId: string): string {
  return `${WORKSPACES}${workspaceId}/`;
}

/** The publications of a workspace, oldest first. Named by its hash: each entry of the log names another one. */
export function historyKey(workspaceId: string, historySha256: string): string {
  return `${historiesPrefix(workspaceId)}${historySha256}.json`;
}

export function historiesPrefix(workspaceId: string): string {
  return `${workspacePrefix(workspaceId)}histories/`;
}

export function snapshotsPrefix(workspaceId: string): string {
  return `${workspacePrefix(workspaceId)}snapshots/`;
}

export function snapshotPrefix(workspaceId: string, snapshotId: string): string {
  return `${snapshotsPrefix(workspaceId)}${snapshotId}/`;
}

/**
 * The manifest. Its name contains its hash: manifests of the same documents by two versions of the job have one snapshot
 * id and differ.
 */
export function manifestKey(workspaceId: string, snapshotId: string, manifestSha256: string): string {
  return `${snapshotPrefix(workspaceId, snapshotId)}${manifestSha256.slice(0, 16)}.manifest.json`;
}

export const INPUTS = 'inputs/';

/** The list of lake objects that snapshots were computed from; all workspaces of a run share it. */
export function inputsKey(inputsSha256: string): string {
  return `${INPUTS}${inputsSha256}.json`;
}

export const HEADS = 'heads/';

/** The newest history of each workspace, for readers that start. */
export function headsKey(headsSha256: string): string {
  return `${HEADS}${headsSha256}.json`;
}

/** Paths inside a snapshot, as its manifest lists them. */
export const BRANDS_PATH = 'brands.json';
export const WEEK_PATH = 'week.json';

export function tablePath(table: ApiTable): string {
  return `tables/${table}.json`;
}

export function documentPath(brandId: string, kind: DocumentKind): string {
  return `brands/${brandId}/${kind}.json`;
}

/** Names a document of a snapshot: the list of brands, the week, a table, or a document of one brand. */
export type DocumentId =
  | { brandId: null; name: 'brands' | 'week' }
  | { brandId: null; name: 'table'; table: ApiTable }
  | { brandId: string; name: DocumentKind };

/** The path of a document inside a snapshot, as its manifest lists it. */
export function pathOf(document: DocumentId): string {
  if (document.brandId !== null) return documentPath(document.brandId, document.name);
  if (document.name === 'table') return tablePath(document.table);
  return document.name === 'week' ? WEEK_PATH : BRANDS_PATH;
}

/** The reverse of {@link pathOf}. */
export function documentAt(path: string): DocumentId {
  const [folder, id, name] = path.replace(/\.json$/, '').split('/');
  if (folder === 'tables') return { brandId: null, name: 'table', table: id as ApiTable };
  // A newer version may have documents of other kinds, and of the whole workspace.
  return (id === undefined ? { brandId: null, name: folder } : { brandId: id, name }) as DocumentId;
}

/** The ids of the brands in a manifest's documents. */
export function brandsOf(documents: readonly { path: string }[]): Set<string> {
  return new Set(documents.flatMap(({ path }) => documentAt(path).brandId ?? []));
}

/** By shape: a newer version may publish documents that this one does not know. */
const DOCUMENT = new RegExp(String.raw`^(?:brands/${UUID_PATTERN}/|tables/)?[a-z][a-z0-9_-]{0,60}\.json$`);

/** True for the path of a document inside a snapshot, also of a kind that this version does not know. */
export function isDocumentPath(path: string): boolean {
  return DOCUMENT.test(path);
}

/** True for the documents that this version publishes and reads. */
export function isKnownDocument(path: string): boolean {
  return (
    path === BRANDS_PATH ||
    path === WEEK_PATH ||
    apiTables.some((table) => path === tablePath(table)) ||
    documentKinds.some((kind) => /^brands\/[^/]+\/(.*)\.json$/.exec(path)?.[1] === kind)
  );
}

/**
 * True for what consoles and file systems leave in a folder or a bucket: markers of folders, and the files of desktops.
 * Nothing reads them.
 */
export function isLeftByOthers(key: string): boolean {
  return /(?:^|\/)(?:|lost\+found\/.*|@eaDir\/.*|Thumbs\.db|desktop\.ini)$/.test(key);
}

export const LOG = 'log/';
/** The newest signed head of the log: the only object of a store that ever changes. */
export const CHECKPOINT_KEY = `${LOG}checkpoint`;
export const TILES = `${LOG}tile/`;

/** The meaning of a key that belongs to a workspace; histories are of no snapshot. */
export interface KeyMeaning {
  part: 'history' | 'manifest' | 'document';
  snapshotId: string | null;
}

export const SNAPSHOT_ID = String.raw`\d{8}T\d{6}\.\d{3,6}Z-[0-9a-f]{16}`;
const KEY = new RegExp(`^${WORKSPACES}${UUID_PATTERN}/(?:histories/|snapshots/(${SNAPSHOT_ID})/)(.+)$`);

/** Parses a key of a workspace; null if no command writes such a key. */
export function readKey(key: string): KeyMeaning | null {
  const [, snapshotId = null, path] = KEY.exec(key) ?? [];
  if (path === undefined) return null;
  if (snapshotId === null) return isNamedByHash(key) ? { part: 'history', snapshotId } : null;
  if (/^[0-9a-f]{16}\.manifest\.json$/.test(path)) return { part: 'manifest', snapshotId };
  return isDocumentPath(path) ? { part: 'document', snapshotId } : null;
}

const HASHED = new RegExp(
  `^(?:${HEADS}|${INPUTS}|${WORKSPACES}${UUID_PATTERN}/histories/)[0-9a-f]{64}\\.json$`,
);

/** True for keys of heads, histories and lists of inputs: they are named by their SHA-256. */
export function isNamedByHash(key: string): boolean {
  return HASHED.test(key);
}

/** The log's part of a lake. Named by the log's name, so that trials with another name overwrite nothing. */
function lakePrefix(origin: string): string {
  return `log/${sha256(origin)}/`;
}

/** What was committed last: the only object of the log in a lake that ever changes. */
export function committedKey(origin: string): string {
  return `${lakePrefix(origin)}committed.json`;
}

/** The entries of one commit, compressed. Each of two commits that race has its own. */
export function archiveKey(origin: string, sizeBefore: number, id: string): string {
  return `${lakePrefix(origin)}archive/${sizeBefore}-${id}.json.gz`;
}

/** In the lake: the lease of the running scheduled job. `scope` names its workspaces: lower-case letters, digits and `-`. */
export function leaseKey(scope: string): string {
  return `schedule/${scope}/lease.json`;
}
