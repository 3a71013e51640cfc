import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { commitToLog, rotateLog } from '../../../snapshots/log/write/commit.ts';
import { readCommitted } from '../../../snapshots/log/write/committed.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { pruneSnapshots } from '../../../snapshots/withdraw/prune.ts';
import { withdrawSnapshots } from '../../../snapshots/withdraw/withdraw.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import type { Interposed } from '../../support/interposed-store.ts';
import { workspaceOf } from './entries.ts';
import { placeOf, publishAll, withdraw } from './places.ts';
import type { Place } from './places.ts';

/** What an operator or a job runs; each may be run again after it was killed. */
export type Command = (place: Place) => Promise<unknown>;

export const publish =
  (week: number, workspaces: readonly number[]): Command =>
  (place) =>
    publishAll(place, week, workspaces);

export const withdrawNewest: Command = (place) => withdraw(place, 0);

export const repair: Command = (place) => repairLog(place);

export const adopt: Command = (place) => adoptLog(place, []);

/** Of the workspace with two weeks, the older one. */
export const prune: Command = async (place) =>
  await pruneSnapshots(place, { workspaceId: workspaceOf(0), keep: [{ newest: 1 }], isDryRun: false });

/** Of the first workspace, everything. */
export const remove: Command = async (place) =>
  await withdrawSnapshots(place, { workspaceId: workspaceOf(0), which: 'all', reason: 'removed' });

/** Rotates to a key; completes the log if that was done. */
export const rotateTo =
  (next: Signer): Command =>
  async (place) => {
    const isDone = (await readCommitted(place.lake, place.origin))?.signer === next.fingerprint;
    if (isDone) await commitToLog({ ...place, signer: next }, () => Promise.resolve({ drafts: [] }));
    else await rotateLog(place, next);
  };

/** A place with three workspaces, of which one has two weeks and another a withdrawn one. */
export async function usualPlace(signer: Signer): Promise<Place> {
  const place = placeOf(signer);
  await publishAll(place, 0, [0, 1, 2]);
  await publishAll(place, 1, [0, 1]);
  await withdraw(place, 1);
  return place;
}

/** The same place, whose operations are counted together. */
export function watched(place: Place, hooks: Interposed): Place {
  return { ...place, store: interposedStore(place.store, hooks), lake: interposedStore(place.lake, hooks) };
}

export const isWrite = (method: string) => ['create', 'swap', 'delete'].includes(method);
