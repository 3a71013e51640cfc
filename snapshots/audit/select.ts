import { Failure } from '../../lib/failure.ts';
import { isDate } from '../../lib/methodology/instant.ts';
import type { Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readCurrentPointer } from '../current-pointer.ts';
import { WORKSPACES } from '../layout.ts';
import { asOfOfId, summaryOf } from '../manifest.ts';
import type { Link, Manifest, PastSnapshot } from '../manifest.ts';
import { readHistory, readManifest } from '../read.ts';
import type { Chain } from '../verify/workspace/chain.ts';
import type { Inventory } from '../verify/workspace/inventory.ts';

/** A published snapshot: the link that names it, and its manifest. */
export interface Entry {
  link: Link;
  manifest: Manifest;
}

/** All published snapshots of a workspace, and the manifest of the newest. */
export interface Snapshots {
  head: Entry;
  /** Newest first. */
  snapshots: PastSnapshot[];
}

/** Names a snapshot: an id or its beginning, a date, `current`, `previous`; or by the day of its as-of time. */
export type Reference = string | { asOf: string };

/** The part of the help texts that explains references. */
export const ID_HELP = `Name a snapshot by its id or the beginning of it, by a date (YYYY-MM-DD: the snapshot that was current at the end of
that day, UTC), or by current or previous (the last one of an earlier week).`;
/** For commands that also take `--as-of`. */
export const REFERENCE_HELP = `${ID_HELP}
--as-of DATE selects the snapshot computed as of that day, or else the last one before it.`;

/**
 * The published snapshots of a workspace, with three reads in all.
 * @throws Failure if nothing was published, the head cannot be read, or its signature is not valid.
 */
export async function readSnapshots(
  store: ObjectStore,
  workspaceId: string,
  trust: Trust | null = null,
): Promise<Snapshots> {
  const found = await readSnapshotsIfAny(store, workspaceId, trust);
  if (found === null) throw new Failure(`${store.url} has no current snapshot of workspace ${workspaceId}`);
  return found;
}

/** As {@link readSnapshots}; null if nothing was published yet. */
export async function readSnapshotsIfAny(
  store: ObjectStore,
  workspaceId: string,
  trust: Trust | null = null,
): Promise<Snapshots | null> {
  const pointer = await readCurrentPointer(store, workspaceId);
  if (pointer === null) return null;
  const { snapshotId, manifestSha256 } = pointer;
  const link = { snapshotId, manifestSha256 };
  const manifest = await readManifest(store, workspaceId, link, trust);
  const history = await readHistory(store, manifest, manifestSha256);
  return { head: { link, manifest }, snapshots: history.toReversed() };
}

/** The manifest of a published snapshot. It is covered by the head's signature, through the chain of hashes. */
export async function readEntry(
  store: ObjectStore,
  workspaceId: string,
  { snapshotId, manifestSha256 }: Link,
): Promise<Entry> {
  const link = { snapshotId, manifestSha256 };
  return { link, manifest: await readManifest(store, workspaceId, link) };
}

/**
 * The manifests of a workspace, newest first.
 * @throws Failure at the first that cannot be read.
 */
export async function* readChain(
  store: ObjectStore,
  workspaceId: string,
  trust: Trust | null = null,
): AsyncGenerator<Entry> {
  const { head, snapshots } = await readSnapshots(store, workspaceId, trust);
  yield head;
  for (const past of snapshots.slice(1)) yield await readEntry(store, workspaceId, past);
}

/** The snapshot that a reference names. @throws Failure if there is none, or more than one. */
export async function resolveSnapshot(
  store: ObjectStore,
  workspaceId: string,
  reference: Reference,
  trust: Trust | null = null,
): Promise<Entry> {
  const { head, snapshots } = await readSnapshots(store, workspaceId, trust);
  const found = choose(workspaceId, reference, snapshots);
  return found.manifestSha256 === head.link.manifestSha256
    ? head
    : await readEntry(store, workspaceId, found);
}

/**
 * The id of the snapshot that a reference names, even if the chain no longer contains it.
 * @throws Failure as {@link resolveSnapshot}
 */
export function findSnapshot(
  { folders, workspaceId }: Inventory,
  { members }: Chain,
  reference: Reference,
): string {
  const inChain = members.map(({ manifest, link }) => summaryOf(manifest, link.manifestSha256));
  const isId = typeof reference === 'string' && /^\d{8}T/.test(reference);
  const others = [...folders.keys()]
    .filter((id) => isId && members.every(({ link }) => link.snapshotId !== id))
    .map((snapshotId) => ({ snapshotId, asOf: asOfOfId(snapshotId) ?? '', publishedAt: '' }));
  return choose(workspaceId, reference, [...inChain, ...others]).snapshotId;
}

type Candidate = Pick<PastSnapshot, 'snapshotId' | 'asOf' | 'publishedAt'>;

/**
 * The snapshot that a reference names.
 * @param snapshots newest first
 * @throws Failure if it names none, or more than one.
 */
export function choose<T extends Candidate>(
  workspaceId: string,
  reference: Reference,
  snapshots: readonly T[],
): T {
  if (typeof reference !== 'string') return chooseAsOf(workspaceId, reference.asOf, snapshots);
  const found = candidates(reference, snapshots);
  if (found.length === 1) return found[0]!;
  if (found.length > 1) {
    const ids = found.map(({ snapshotId }) => snapshotId).join(', ');
    throw new Failure(`${reference} is the beginning of several snapshots: ${ids}`);
  }
  if (/^\d{4}-/.test(reference) && !isDate(reference))
    throw new Failure(`${reference} is not a date; a date is written like 2026-11-16`);
  if (/^\d{1,7}$/.test(reference))
    throw new Failure(`${reference} is too short: an id needs at least its first 8 characters`);
  const name = reference === '' ? 'without a name' : reference;
  throw new Failure(`workspace ${workspaceId} has no snapshot ${name}; the list command shows them`);
}

function candidates<T extends Candidate>(reference: string, snapshots: readonly T[]): T[] {
  if (reference === 'current') return snapshots.slice(0, 1);
  if (reference === 'previous') return oneAWeek(snapshots).slice(1, 2);
  if (isDate(reference))
    return snapshots.filter(({ publishedAt }) => publishedAt.slice(0, 10) <= reference).slice(0, 1);
  const exact = snapshots.filter(({ snapshotId }) => snapshotId === reference);
  if (exact.length > 0 || reference.length < 8) return exact.slice(0, 1);
  return snapshots.filter(({ snapshotId }) => snapshotId.startsWith(reference));
}

function chooseAsOf<T extends Candidate>(workspaceId: string, date: string, snapshots: readonly T[]): T {
  const until = snapshots.filter(({ asOf }) => asOf.slice(0, 10) <= date);
  const [found] = until.toSorted((a, b) => (a.asOf < b.asOf ? 1 : a.asOf > b.asOf ? -1 : 0));
  if (found !== undefined) return found;
  throw new Failure(`workspace ${workspaceId} has no snapshot as of ${date} or before`);
}

/**
 * The newest snapshot, and the last published one of each earlier week, by as-of time.
 * @param snapshots newest first
 */
export function oneAWeek<T extends Candidate>(snapshots: readonly T[]): T[] {
  const [current] = snapshots;
  if (current === undefined) return [];
  const earlier = lastOfEachWeek(snapshots).filter(({ asOf }) => weekOf(asOf) < weekOf(current.asOf));
  return [current, ...earlier];
}

/**
 * The last snapshot published of each week, newest week first.
 * @param snapshots newest first
 */
export function lastOfEachWeek<T extends Candidate>(snapshots: readonly T[]): T[] {
  const byWeek = new Map<string, T>();
  for (const snapshot of snapshots) {
    const week = weekOf(snapshot.asOf);
    if (!byWeek.has(week)) byWeek.set(week, snapshot);
  }
  return [...byWeek].toSorted(([a], [b]) => (a < b ? 1 : -1)).map(([, snapshot]) => snapshot);
}

/** The Monday of the week of an instant, UTC, as `YYYY-MM-DD`. */
export function weekOf(asOf: string): string {
  const day = new Date(`${asOf.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

/**
 * The workspace of a command: `named`, or the only one in the store.
 * @throws Failure if the store has none, or several (the message lists them).
 */
export async function chooseWorkspace(store: ObjectStore, named: string | undefined): Promise<string> {
  await store.check();
  if (named !== undefined) return named;
  const workspaces = await store.folders(WORKSPACES);
  if (workspaces.length === 1) return workspaces[0]!;
  if (workspaces.length === 0) throw new Failure(`${store.url} contains no snapshots`);
  const some = workspaces.slice(0, 5).join(', ');
  const more = workspaces.length > 5 ? ` and ${workspaces.length - 5} more` : '';
  throw new Failure(`name one of the ${workspaces.length} workspaces with --workspace: ${some}${more}`);
}
