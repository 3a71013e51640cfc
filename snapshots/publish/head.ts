import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Signer, Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { REMEDY, readCurrentPointer } from '../current-pointer.ts';
import { headKey, readKey, snapshotPrefix } from '../layout.ts';
import type { Link, Manifest, PastSnapshot } from '../manifest.ts';
import { decodeManifest, decodePointer, readHistory, readManifest } from '../read.ts';
import type { CurrentPointer } from '../read.ts';
import { readRemembered } from './remembered.ts';

/** The newest snapshot of a workspace; the next one links to it. */
export interface Head {
  link: Link;
  manifest: Manifest;
  /** All snapshots up to it, oldest first. */
  history: PastSnapshot[];
}

export interface HeadOptions {
  /** The lake, in which the publisher records the newest head that it has seen; if absent, it records nothing. */
  heads?: ObjectStore | undefined;
  signer?: Signer | undefined;
  /**
   * With a signer: a head that is not the recorded one must be signed with one of these keys (default: the signer's).
   * Null: with any key.
   */
  trust?: Trust | null | undefined;
  /** The id of a snapshot to continue from if the head is refused. */
  adopt?: string | undefined;
}

/**
 * The verified head of a workspace; null if nothing has been published yet. Reads the recorded head before the pointer,
 * so that the pointer can only be newer.
 * @throws Failure if the head is missing, cannot be read, does not come after the recorded one, or has no valid
 * signature.
 */
export async function readHead(
  store: ObjectStore,
  workspaceId: string,
  options: HeadOptions,
): Promise<{ pointer: CurrentPointer | null; head: Head | null }> {
  const remembered = await readRemembered(options.heads, store, workspaceId);
  let pointer: CurrentPointer | null = null;
  try {
    pointer = await readCurrentPointer(store, workspaceId);
    return { pointer, head: await checkedHead(store, workspaceId, pointer, remembered, options) };
  } catch (error) {
    if (!(error instanceof Failure) || options.adopt === undefined) throw error;
    return { pointer, head: await adoptedHead(store, workspaceId, options.adopt) };
  }
}

async function checkedHead(
  store: ObjectStore,
  workspaceId: string,
  pointer: CurrentPointer | null,
  remembered: Link | null,
  { heads, signer, trust = signer?.trust ?? null }: HeadOptions,
): Promise<Head | null> {
  if (pointer === null) {
    if (remembered !== null)
      throw new Failure(
        `workspace ${workspaceId} has nothing in ${store.url}, although ${remembered.snapshotId} was published there; put the store back, or remove ${heads?.url}/${headKey(workspaceId)} to begin a new history`,
      );
    return null;
  }
  const { snapshotId, manifestSha256 } = pointer;
  const link = { snapshotId, manifestSha256 };
  const manifest = await readManifest(store, workspaceId, link);
  const history = await readHistory(store, manifest, manifestSha256);
  const isRemembered = remembered?.manifestSha256 === manifestSha256;
  if (remembered !== null && !history.some((past) => past.manifestSha256 === remembered.manifestSha256))
    throw new Failure(
      `the pointer of workspace ${workspaceId} names ${snapshotId}, which does not come after ${remembered.snapshotId}, the newest published before; ${REMEDY}`,
    );
  if (!isRemembered && signer !== undefined && trust !== null) {
    const neverSigned = history.every(({ signedBy }) => signedBy === null);
    if (!neverSigned) await readManifest(store, workspaceId, link, trust);
  }
  return { link, manifest, history };
}

/** The head that `--adopt` names. @throws Failure if the store has no manifest of it, or several and no receipt. */
async function adoptedHead(store: ObjectStore, workspaceId: string, snapshotId: string): Promise<Head> {
  const link = await linkTo(store, workspaceId, snapshotId);
  const manifest = await readManifest(store, workspaceId, link);
  return { link, manifest, history: await readHistory(store, manifest, link.manifestSha256) };
}

async function linkTo(store: ObjectStore, workspaceId: string, snapshotId: string): Promise<Link> {
  const found: Link[] = [];
  for await (const { key } of store.list(snapshotPrefix(workspaceId, snapshotId))) {
    const part = readKey(key)?.part;
    if (part !== 'receipt' && part !== 'manifest' && part !== 'alternateManifest') continue;
    const { bytes } = (await store.get(key))!;
    if (part === 'receipt') {
      const { manifestSha256 } = decodePointer(bytes, `${store.url}/${key}`);
      return { snapshotId, manifestSha256 };
    }
    decodeManifest(bytes, `${store.url}/${key}`);
    found.push({ snapshotId, manifestSha256: sha256(bytes) });
  }
  if (found.length === 1) return found[0]!;
  throw new Failure(
    `--adopt ${snapshotId}: ${store.url} has ${found.length === 0 ? 'no such snapshot' : 'several manifests and no receipt'} of workspace ${workspaceId}`,
  );
}
