import { expect } from 'vitest';
import { configuredSigner, generateKeyPair } from '../../../snapshots/signing.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import type { LogIdentity } from '../../../snapshots/log/follow.ts';
import type { WithdrawalReason } from '../../../snapshots/log/entries.ts';
import { commitToLog } from '../../../snapshots/log/write/commit.ts';
import type { CommitParts } from '../../../snapshots/log/write/commit.ts';
import { openPublisher } from '../../../snapshots/publish/publisher.ts';
import { memoryStore } from '../../support/memory-store.ts';
import type { Objects } from '../../support/memory-store.ts';
import { contentOf } from '../content.ts';
import { ORIGIN } from '../publish.ts';
import { workspaceOf } from './entries.ts';

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

/** The smallest snapshot: one document. */
export function smallContent(workspace: number, week: number) {
  return contentOf(week, { workspaceId: workspaceOf(workspace), brands: 0 });
}

/** Publishes a week of several workspaces in one commit; the ids of the snapshots. @throws the first error */
export async function publishAll(
  parts: CommitParts,
  week: number,
  workspaces: readonly number[],
): Promise<string[]> {
  const publisher = await openPublisher(parts);
  for (const workspace of workspaces) await publisher.add(smallContent(workspace, week), () => null);
  return (await publisher.finish()).map(({ outcome }) => {
    if ('published' in outcome) return outcome.published.snapshotId;
    throw 'error' in outcome ? outcome.error : new Error('withdrawn');
  });
}

/** Withdraws the newest snapshot of a workspace, unless it is withdrawn. */
export async function withdraw(
  parts: CommitParts,
  workspace: number,
  reason: WithdrawalReason = 'mistaken',
): Promise<void> {
  await commitToLog(parts, async (state) => {
    const workspaceId = workspaceOf(workspace);
    const newest = (await state.historyOf(workspaceId)).publications.at(-1);
    if (newest === undefined || newest.withdrawn !== null) return { drafts: [] };
    return { drafts: [{ kind: 'withdrawn', workspaceId, snapshotId: newest.snapshotId, reason }] };
  });
}

/** Puts the objects of another store in the place of those that are there. */
export function putBack({ objects }: Place, { objects: { store } }: Place): void {
  objects.store.clear();
  for (const [key, bytes] of store) objects.store.set(key, bytes);
}

/** Asserts that a publication is refused, and neither signs nor writes anything. */
export async function expectRefused(place: Place, message: RegExp): Promise<void> {
  const before = copyOf(place);
  await expect(publishAll(place, 8, [0])).rejects.toThrow(message);
  expect(place.objects).toEqual(before.objects);
}
