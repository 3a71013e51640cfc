import { adoptLog } from '../../../snapshots/recover/adopt.ts';
import { commitToLog, rotateLog } from '../../../snapshots/log/write/commit.ts';
import { readCommitted } from '../../../snapshots/log/write/committed.ts';
import { repairLog } from '../../../snapshots/recover/repair.ts';
import type { Signer } from '../../../snapshots/signing.ts';
import { interposedStore } from '../../support/interposed-store.ts';
import type { Interposed } from '../../support/interposed-store.ts';
import { publishAll, withdraw } from './places.ts';
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

/** Rotates to a key; completes the log if that was done. */
export const rotateTo =
  (next: Signer): Command =>
  async (place) => {
    const isDone = (await readCommitted(place.lake, place.origin))?.signer === next.fingerprint;
    if (isDone) await commitToLog({ ...place, signer: next }, () => Promise.resolve({ drafts: [] }));
    else await rotateLog(place, next);
  };

/** The same place, whose operations are counted together. */
export function watched(place: Place, hooks: Interposed): Place {
  return { ...place, store: interposedStore(place.store, hooks), lake: interposedStore(place.lake, hooks) };
}

/** A place with the key that signs the next commit, and readers that trust both keys. */
export async function continued(place: Place, signer: Signer, next: Signer): Promise<Place> {
  const committed = await readCommitted(place.lake, place.origin);
  const by = committed?.signer === next.fingerprint ? next : signer;
  return { ...place, signer: by, trust: new Map([...signer.trust, ...next.trust]) };
}
