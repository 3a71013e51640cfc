import { sha256 } from '../lib/hash.ts';
import { placesOf } from './allowance.ts';
import type { Admission } from './allowance.ts';
import type { KeyStanding, KeyUse, Records } from './records/records.ts';

/** Called once per request; must not throw. Null: the records could not be asked in time, so nobody is admitted. */
export type AdmissionCallback = (admission: Admission | null) => void;

/**
 * Admits requests in groups: those that arrive in one turn of the event loop are asked about together, up to 64 of them,
 * in one transaction that starts after the last of them has arrived. That is a group commit and not a cache: every
 * request is answered by the records as they are after its arrival. (One transaction per request was measured
 * at a quarter of the throughput.)
 */
export interface Gatekeeper {
  admit(key: string, callback: AdmissionCallback): void;
  /** Requests that wait for an answer. */
  waiting(): number;
}

export interface GatekeeperOptions {
  /** Batches that the records are asked about at one time; those that arrive meanwhile make up the next ones. */
  batchesAtOnce: number;
  /** Requests that may wait to be asked about; more are refused at once. */
  longestQueue: number;
  /** How long a request may wait for its answer. */
  patienceMs: number;
  observer: AdmissionObserver;
}

export interface AdmissionObserver {
  /** A batch was answered: its requests, its distinct keys and the milliseconds since the first one came. */
  batchAnswered(requests: number, keys: number, ms: number): void;
  /** A batch could not be answered, or the queue was full. */
  admissionFailed(error: unknown): void;
}

/**
 * More gain nothing, and make the turns of the event loop long, of which each accepts one new connection (libuv's pull request
 * 3696): of 500 that came at once, under load, the last waited for seconds.
 */
const MOST_IN_A_BATCH = 64;

interface Batch {
  keys: string[];
  callbacks: AdmissionCallback[];
  /** `performance.now()` when the first request came. */
  since: number;
  /** Set where the batch may have to wait; cleared with it. */
  timer: NodeJS.Timeout | undefined;
  over: boolean;
}

export function gatekeeper(records: Pick<Records, 'admit'>, options: GatekeeperOptions): Gatekeeper {
  return new GroupAdmission(records, options);
}

class GroupAdmission implements Gatekeeper {
  readonly #records: Pick<Records, 'admit'>;
  readonly #options: GatekeeperOptions;
  readonly #queue: Batch[] = [];
  #batchesAsked = 0;
  #requestsAsked = 0;

  constructor(records: Pick<Records, 'admit'>, options: GatekeeperOptions) {
    this.#records = records;
    this.#options = options;
  }

  waiting(): number {
    return this.#requestsAsked + this.#requestsQueued();
  }

  #requestsQueued(): number {
    return this.#queue.reduce((sum, { callbacks }) => sum + callbacks.length, 0);
  }

  admit(key: string, callback: AdmissionCallback): void {
    const { longestQueue, observer } = this.#options;
    if (this.#requestsQueued() >= longestQueue) {
      observer.admissionFailed(new Error(`more than ${longestQueue} requests wait for the records`));
      callback(null);
      return;
    }
    const batch = this.#batchWithRoom();
    batch.keys.push(key);
    batch.callbacks.push(callback);
  }

  #batchWithRoom(): Batch {
    const last = this.#queue.at(-1);
    if (last !== undefined && last.callbacks.length < MOST_IN_A_BATCH) return last;
    const batch = newBatch();
    const isNext = this.#queue.push(batch) === 1;
    if (isNext && this.#batchesAsked < this.#options.batchesAtOnce) setImmediate(this.#askAboutNext);
    else this.#limitWait(batch);
    return batch;
  }

  readonly #askAboutNext = (): void => {
    if (this.#batchesAsked >= this.#options.batchesAtOnce) return;
    const batch = this.#queue.shift();
    if (batch === undefined) return;
    if (this.#queue.length > 0) setImmediate(this.#askAboutNext);
    const { uses, useOf } = distinct(batch.keys);
    batch.keys = []; // the hashes go on without them
    let standings;
    try {
      standings = this.#records.admit(uses);
    } catch (error) {
      this.#giveUp(batch, error);
      return;
    }
    if (standings instanceof Promise) void this.#awaitStandings(batch, uses, useOf, standings);
    else this.#answer(batch, uses, useOf, standings);
  };

  async #awaitStandings(
    batch: Batch,
    uses: readonly KeyUse[],
    useOf: readonly number[],
    standings: Promise<readonly KeyStanding[]>,
  ): Promise<void> {
    this.#limitWait(batch);
    this.#batchesAsked += 1;
    this.#requestsAsked += batch.callbacks.length;
    const outcome = await standings.catch((error: unknown) => ({ error }));
    this.#batchesAsked -= 1;
    this.#requestsAsked -= batch.callbacks.length;
    if (this.#queue.length > 0) setImmediate(this.#askAboutNext);
    if ('error' in outcome) this.#giveUp(batch, outcome.error);
    else this.#answer(batch, uses, useOf, outcome);
  }

  #answer(
    batch: Batch,
    uses: readonly KeyUse[],
    useOf: readonly number[],
    standings: readonly KeyStanding[],
  ): void {
    if (!finish(batch)) return;
    const { callbacks, since } = batch;
    this.#options.observer.batchAnswered(callbacks.length, uses.length, performance.now() - since);
    const admissionOf = placesOf(uses, standings);
    for (let index = 0; index < callbacks.length; index++) callbacks[index]!(admissionOf(useOf[index]!));
  }

  #limitWait(batch: Batch): void {
    const { patienceMs } = this.#options;
    batch.timer ??= setTimeout(() => {
      const place = this.#queue.indexOf(batch);
      if (place !== -1) this.#queue.splice(place, 1);
      this.#giveUp(batch, new Error(`the records did not answer within ${patienceMs} ms`));
    }, patienceMs);
  }

  #giveUp(batch: Batch, error: unknown): void {
    if (!finish(batch)) return;
    this.#options.observer.admissionFailed(error);
    for (const callback of batch.callbacks) callback(null);
  }
}

function newBatch(): Batch {
  return { keys: [], callbacks: [], since: performance.now(), timer: undefined, over: false };
}

/** True the first time: a batch is answered once, in time or not at all. */
function finish(batch: Batch): boolean {
  if (batch.over) return false;
  batch.over = true;
  clearTimeout(batch.timer);
  return true;
}

/**
 * The distinct keys of a batch, and for each request the index of its key. Requests in a row often carry the same key,
 * which is then hashed once; it is hashed to be looked up, and kept no longer than its batch waits.
 */
function distinct(keys: readonly string[]): { uses: KeyUse[]; useOf: number[] } {
  const indexOf = new Map<string, number>();
  const uses: KeyUse[] = [];
  let last = '';
  let index = 0;
  const useOf = keys.map((key) => {
    if (key !== last) {
      last = key;
      const hash = sha256(key);
      index = indexOf.get(hash) ?? uses.push({ hash, requests: 0 }) - 1;
      indexOf.set(hash, index);
    }
    uses[index]!.requests += 1;
    return index;
  });
  return { uses, useOf };
}
