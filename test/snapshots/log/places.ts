import { configuredSigner, generateKeyPair } from '../../../snapshots/signing.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import type { LogIdentity } from '../../../snapshots/log/follow.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import type { CommitParts } from '../../../snapshots/log/write/commit.ts';
import { memoryStore } from '../../support/memory-store.ts';
import type { Objects } from '../../support/memory-store.ts';
import { contentOfDocuments } from '../documents.ts';
import { ORIGIN, publishContents } from '../publish.ts';

/** A store and its lake in memory. Their objects may be altered, copied and put back. */
export interface Place extends CommitParts, Pick<LogIdentity, 'trust'> {
  objects: { store: Objects; lake: Objects };
}

export async function newSigner(): Promise<Signer> {
  return (await configuredSigner({
    SIGNING_KEY: generateKeyPair().privatePem,
    SIGNING_KEY_FILE: undefined,
  }))!;
}

const start = Date.UTC(2026, 10, 16, 7);

/** A place whose clock moves on by a millisecond whenever it is read. */
export function placeOf(
  signer: Signer,
  objects: Place['objects'] = { store: new Map(), lake: new Map() },
): Place {
  let time = start;
  const now = () => (time += 1);
  return {
    objects,
    store: memoryStore(objects.store, 'store', now),
    lake: memoryStore(objects.lake, 'lake', now),
    origin: ORIGIN,
    signer,
    trust: signer.trust,
    clock: { now },
    acceptClock: true, // weeks are published in any order
  };
}

export function copyOf({ objects: { store, lake }, signer }: Place): Place {
  return placeOf(signer, { store: new Map(store), lake: new Map(lake) });
}

export function workspaceOf(number: number): string {
  return `0b5ef0a4-3a6e-4f0f-9c57-${String(number).padStart(12, '0')}`;
}

/** The smallest snapshot: one document. */
export function smallContent(workspace: number, week: number) {
  const asOf = new Date(Date.UTC(2026, 0, 5, 6) + week * 7 * 86_400_000).toISOString();
  const bytes = Buffer.from(`{"data":{"week":${week}}}`);
  return contentOfDocuments(workspaceOf(workspace), asOf, [{ path: 'brands.json', bytes }]);
}

/** Publishes a week of several workspaces in one commit; the ids of the snapshots. @throws the first error */
export async function publishAll(
  parts: CommitParts,
  week: number,
  workspaces: readonly number[],
): Promise<string[]> {
  const contents = workspaces.map((workspace) => smallContent(workspace, week));
  return (await publishContents(parts, contents)).map(({ snapshotId }) => snapshotId);
}

/** Withdraws the newest snapshot of a workspace, unless it is withdrawn. */
export async function withdraw(
  parts: CommitParts,
  workspace: number,
  reason: 'mistaken' | 'lost' = 'mistaken',
): Promise<void> {
  await commitToLog(parts, async (state) => {
    const workspaceId = workspaceOf(workspace);
    const newest = (await state.historyOf(workspaceId)).publications.at(-1);
    if (newest === undefined || newest.withdrawn !== null) return { drafts: [] };
    return { drafts: [{ kind: 'withdrawn', workspaceId, snapshotId: newest.snapshotId, reason }] };
  });
}

/** A place with three workspaces, of which one has two weeks and another a withdrawn one. */
export async function usualPlace(signer: Signer): Promise<Place> {
  const place = placeOf(signer);
  await publishAll(place, 0, [0, 1, 2]);
  await publishAll(place, 1, [0, 1]);
  await withdraw(place, 1);
  return place;
}

/** Puts the objects of another store in the place of those that are there. */
export function putBack({ objects }: Place, { objects: { store } }: Place): void {
  objects.store.clear();
  for (const [key, bytes] of store) objects.store.set(key, bytes);
}
