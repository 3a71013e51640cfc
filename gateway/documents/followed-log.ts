import { Failure, WrongSetting } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY } from '../../snapshots/layout.ts';
import { mustContinue, readLog } from '../../snapshots/log/follow.ts';
import type { LogView } from '../../snapshots/log/follow.ts';
import { NO_PUBLIC_KEY } from '../../snapshots/log/identity.ts';
import { parseCheckpoint } from '../../snapshots/log/notes/checkpoint.ts';
import type { Checkpoint } from '../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../snapshots/log/notes/note.ts';
import { readCheckpoint, tileReader } from '../../snapshots/log/read.ts';
import type { Trust } from '../../snapshots/signing.ts';
import type { Records } from '../records/records.ts';
import { sharedLoads } from './shared-loads.ts';

/**
 * The newest good head of a store's log. Only a signed head says what is published, and that a workspace has nothing. It
 * never goes back, neither in memory nor behind what the records keep.
 */
export interface FollowedLog {
  /** The head in service; null before the first. */
  head(): LogView | null;
  /** As `head`, after a look if there is none. @throws Failure why there is none */
  open(): Promise<LogView>;
  /** Reads the checkpoint, and what was appended. If that cannot be accepted, the head stays. Never throws. */
  look(): Promise<void>;
  /** Why the newest head is not in service; null if it is, or nothing was published yet. */
  trouble(): Error | null;
}

export interface FollowOptions {
  /** The name of the log. */
  origin: string;
  /** The keys that sign it; undefined as long as there are none: the first publication makes them. */
  trust: () => Promise<Trust | undefined>;
  /** Shared by all gateways. */
  memory: Pick<Records, 'readCheckpoint' | 'keepCheckpoint'>;
  /** The newest head cannot be accepted, and the last good one stays. Called once per reason. */
  onTrouble(reason: Error): void;
}

export function followLog(store: ObjectStore, options: FollowOptions): FollowedLog {
  const find = headFinder(store, options);
  const lookOnce = sharedLoads<void>();
  let head: LogView | null = null;
  let trouble: Error | null = null;
  let keptSize = -1;

  const keep = async ({ checkpoint: { origin, size, note } }: LogView) => {
    if (size <= keptSize) return;
    await options.memory.keepCheckpoint(origin, size, formatNote(note));
    keptSize = size;
  };

  const look = async () => {
    try {
      head = await find(head);
      trouble = null;
    } catch (error) {
      const before = trouble;
      trouble = error instanceof Error ? error : new Error(String(error));
      if (String(trouble) !== String(before)) options.onTrouble(trouble);
    }
    // While the records are away no request is admitted, which is reported elsewhere: the next look tries again.
    if (head !== null) await keep(head).catch(() => undefined);
  };

  return {
    head: () => head,
    look: async () => await lookOnce('', look),
    trouble: () => trouble,
    async open() {
      if (head === null) await lookOnce('', look);
      if (head !== null) return head;
      throw trouble ?? new Failure(`${store.url} has no log yet: nothing was published`);
    },
  };
}

/** @returns a function that reads the head after `before`; null if nothing was published yet */
function headFinder(store: ObjectStore, { origin, trust, memory }: FollowOptions) {
  const name = `${store.url}/${CHECKPOINT_KEY}`;
  let known: Trust | undefined;

  const readKept = async (): Promise<Checkpoint | null> => {
    const note = await memory.readCheckpoint(origin);
    return note === null
      ? null
      : parseCheckpoint(Buffer.from(note), `the checkpoint of ${origin} in the records`);
  };

  return async (before: LogView | null): Promise<LogView | null> => {
    known ??= await trust();
    if (known === undefined) {
      if ((await readCheckpoint(store)) === null) return null;
      throw new WrongSetting(NO_PUBLIC_KEY);
    }
    const identity = { origin, trust: known };
    const found = await readLog(store, identity, before);
    if (before !== null && found?.edge === before.edge) return found;
    // Without a head of its own, a gateway needs what the records remember; with one, it can go on while they are away.
    const kept = await readKept().catch((error: unknown) => {
      if (before === null) throw error;
      return null;
    });
    if (kept === null) return found;
    if (found === null)
      throw new Failure(`${name} is missing, and gateways have served ${kept.size} entries`);
    // Read once more: another gateway may have kept a newer head since the first read.
    const newest = (await readLog(store, identity, found))!;
    await mustContinue(kept, newest.checkpoint, tileReader(store), name);
    return newest;
  };
}
