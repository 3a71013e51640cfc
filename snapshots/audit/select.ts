import { Failure } from '../../lib/failure.ts';
import { isDate } from '../../lib/instant.ts';
import type { Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { WORKSPACES } from '../layout.ts';
import { asOfOfId } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import { readManifest, readPointer } from '../read.ts';
import type { Link } from '../read.ts';
import type { Chain } from './chain.ts';
import type { Inventory } from './inventory.ts';

/** A published snapshot, as the chain names it. */
export interface Entry {
  link: Link;
  manifest: Manifest;
}

/** How the commands explain what they take. */
export const REFERENCE_HELP =
  'A snapshot is named by its id or the beginning of it, by a date (YYYY-MM-DD: the one that was current at the end ' +
  'of that day), or as current or previous.';

/**
 * The snapshots of a workspace, newest first, each checked against the link that leads to it.
 * @throws Failure at the first link that does not hold.
 */
export async function* readChain(
  store: ObjectStore,
  workspaceId: string,
  trust: Trust | null = null,
): AsyncGenerator<Entry> {
  const pointer = await readPointer(store, workspaceId);
  if (pointer === null)
    throw new Failure(`${store.url} holds no current snapshot of workspace ${workspaceId}`);
  for (let link: Link | null = pointer; link !== null;) {
    // Those from before signing began are vouched for by the link.
    const manifest: Manifest = await readManifest(store, workspaceId, link, link === pointer ? trust : null);
    yield { link, manifest };
    link = manifest.previous;
  }
}

/** @throws Failure where no snapshot of the workspace goes by that name, or more than one. */
export async function resolveSnapshot(
  store: ObjectStore,
  workspaceId: string,
  reference: string,
  trust: Trust | null = null,
): Promise<Entry> {
  const decide = matcher(reference);
  const found: Entry[] = [];
  let index = 0;
  for await (const entry of readChain(store, workspaceId, trust)) {
    const match = decide(entry.manifest, index++);
    if (match !== 'no') found.push(entry);
    if (match === 'the one') return entry;
  }
  if (found.length === 1) return found[0]!;
  throw notOne(
    workspaceId,
    reference,
    found.map(({ manifest }) => manifest.snapshotId),
  );
}

/**
 * The id of the snapshot that a reference names, also where the chain does not lead to it any more.
 * @throws Failure as {@link resolveSnapshot} does.
 */
export function findSnapshot(
  { folders, workspaceId }: Inventory,
  { members }: Chain,
  reference: string,
): string {
  const decide = matcher(reference);
  const inChain = members.map(({ link }) => link.snapshotId);
  const others = [...folders.keys()].filter((id) => !inChain.includes(id));
  const candidates = /^\d{8}T/.test(reference) ? [...inChain, ...others] : inChain;
  const found: string[] = [];
  for (const [index, snapshotId] of candidates.entries()) {
    const match = decide({ snapshotId, asOf: asOfOfId(snapshotId) ?? '' }, index);
    if (match === 'the one') return snapshotId;
    if (match !== 'no') found.push(snapshotId);
  }
  if (found.length === 1) return found[0]!;
  throw notOne(workspaceId, reference, found);
}

type Match = 'the one' | 'possibly' | 'no';

function matcher(
  reference: string,
): (snapshot: Pick<Manifest, 'snapshotId' | 'asOf'>, index: number) => Match {
  if (reference === 'current') return (_, index) => is(index === 0);
  if (reference === 'previous') return (_, index) => is(index === 1);
  if (isDate(reference)) return ({ asOf }) => is(asOf.slice(0, 10) <= reference);
  return ({ snapshotId }) => {
    if (snapshotId === reference) return 'the one';
    return reference.length >= 8 && snapshotId.startsWith(reference) ? 'possibly' : 'no';
  };
}

function is(holds: boolean): Match {
  return holds ? 'the one' : 'no';
}

function notOne(workspaceId: string, reference: string, found: readonly string[]): Failure {
  if (found.length > 0)
    return new Failure(`${reference} is the beginning of several snapshots: ${found.join(', ')}`);
  if (/^\d{4}-/.test(reference) && !isDate(reference))
    return new Failure(`${reference} is not a date; a date is written like 2026-11-16`);
  if (/^\d{1,7}$/.test(reference))
    return new Failure(`${reference} is too short: an id needs at least its first 8 characters`);
  const name = reference === '' ? 'without a name' : reference;
  return new Failure(`workspace ${workspaceId} has no snapshot ${name}; the list command shows them`);
}

/**
 * The workspace that a command is about: the one that is named, or the only one there is.
 * @throws Failure that lists them where there are several, and where there is none.
 */
export async function chooseWorkspace(store: ObjectStore, named: string | undefined): Promise<string> {
  await store.check();
  if (named !== undefined) return named;
  const workspaces = await store.folders(WORKSPACES);
  if (workspaces.length === 1) return workspaces[0]!;
  if (workspaces.length === 0) throw new Failure(`${store.url} holds no snapshots`);
  const some = workspaces.slice(0, 5).join(', ');
  const more = workspaces.length > 5 ? ` and ${workspaces.length - 5} more` : '';
  throw new Failure(`name one of the ${workspaces.length} workspaces with --workspace: ${some}${more}`);
}
