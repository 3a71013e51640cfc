import { Failure, WrongSetting } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY } from '../../snapshots/layout.ts';
import { mustContinue, readLog } from '../../snapshots/log/follow.ts';
import type { LogView } from '../../snapshots/log/follow.ts';
import { NO_PUBLIC_KEY } from '../../snapshots/log/identity.ts';
import { parseCheckpoint } from '../../snapshots/log/notes/checkpoint.ts';
import { formatNote } from '../../snapshots/log/notes/note.ts';
import { readCheckpoint, tileReader } from '../../snapshots/log/read.ts';
import type { Trust } from '../../snapshots/signing.ts';
import type { Records } from '../records/records.ts';
import { sharedLoads } from './shared-loads.ts';

export interface FollowOptions {
  /** The name of the log. */
  origin: string;
  /** The keys that sign it; undefined as long as there are none: the first publication makes them. */
  trust: () => Promise<Trust | undefined>;
  /** The newest checkpoint that a gateway has served, shared by all: a restarted one must not serve an older copy. */
  memory: Pick<Records, 'readCheckpoint' | 'keepCheckpoint'>;
  /** The newest head cannot be accepted, and the last good one stays. Called once per reason. */
  onTrouble(reason: Error): void;
}

/**
 * The newest good head of a store's log. Only a signed head says what is published, and that a workspace has nothing. It
 * never goes back, neither in memory nor behind what the records keep.
 */
export class FollowedLog {
  /** The head in service; null before the first. */
  head: LogView | null = null;
  /** Why the newest head is not in service; null if it is, or nothing was published yet. */
  trouble: Error | null = null;
  readonly #store: ObjectStore;
  readonly #options: FollowOptions;
  readonly #once = sharedLoads<void>();
  #trust: Trust | undefined;
  #keptSize = -1;

  constructor(store: ObjectStore, options: FollowOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Reads the checkpoint, and what was appended. If that cannot be accepted, the head stays. Never throws. */
  async look(): Promise<void> {
    await this.#once('', async () => {
      try {
        this.head = await this.#newest();
        this.trouble = null;
      } catch (error) {
        const before = this.trouble;
        this.trouble = error instanceof Error ? error : new Error(String(error));
        if (String(this.trouble) !== String(before)) this.#options.onTrouble(this.trouble);
      }
      // While the records are away no request is admitted, which is reported elsewhere: the next look tries again.
      if (this.head !== null) await this.#keep(this.head).catch(() => undefined);
    });
  }

  /** The head, after a look if there is none. @throws Failure why there is none */
  async open(): Promise<LogView> {
    if (this.head === null) await this.look();
    if (this.head !== null) return this.head;
    throw this.trouble ?? new Failure(`${this.#store.url} has no log yet: nothing was published`);
  }

  async #newest(): Promise<LogView | null> {
    this.#trust ??= await this.#options.trust();
    if (this.#trust === undefined) {
      if ((await readCheckpoint(this.#store)) === null) return null;
      throw new WrongSetting(NO_PUBLIC_KEY);
    }
    const identity = { origin: this.#options.origin, trust: this.#trust };
    const found = await readLog(this.#store, identity, this.head);
    return this.head !== null && found?.edge === this.head.edge ? found : await this.#asKept(found, identity);
  }

  /** @throws Failure if the head is not a continuation of the checkpoint that gateways remember */
  async #asKept(found: LogView | null, identity: { origin: string; trust: Trust }): Promise<LogView | null> {
    const { memory } = this.#options;
    // Without a head of its own, a gateway needs what the records remember; with one, it can go on while they are away.
    const note = await memory.readCheckpoint(identity.origin).catch((error: unknown) => {
      if (this.head === null) throw error;
      return null;
    });
    if (note === null) return found;
    const name = `${this.#store.url}/${CHECKPOINT_KEY}`;
    const kept = parseCheckpoint(Buffer.from(note), `the checkpoint of ${identity.origin} in the records`);
    if (found === null)
      throw new Failure(`${name} is missing, and gateways have served ${kept.size} entries`);
    // Read once more: another gateway may have kept a newer head since the first read.
    const newest = (await readLog(this.#store, identity, found))!;
    await mustContinue(kept, newest.checkpoint, tileReader(this.#store), name);
    return newest;
  }

  async #keep({ checkpoint: { origin, size, note } }: LogView): Promise<void> {
    if (size <= this.#keptSize) return;
    await this.#options.memory.keepCheckpoint(origin, size, formatNote(note));
    this.#keptSize = size;
  }
}
