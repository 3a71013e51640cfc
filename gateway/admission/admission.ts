import { sha256 } from '../../lib/hash.ts';
import { admissionsOf, FAILED } from './allowance.ts';
import type { Admission } from './allowance.ts';
import type { KeyStanding, KeyUse, Records } from '../records/records.ts';

/** Called once per request; must not throw. */
export type AdmissionCallback = (admission: Admission) => void;

/**
 * Admits requests in batches. The keys of all requests that arrive in one turn of the event loop, up to 64, are looked
 * up in one transaction, which starts after the last of them has arrived. This is a group commit, not a cache: each
 * result reflects the records after the arrival of its request. One transaction per request was measured at a quarter
 * of the throughput.
 */
export interface AdmissionQueue {
  admit(key: string, callback: AdmissionCallback): void;
  /**
   * Updates the last-used times of the keys of a request that is refused anyway, and counts nothing. `done` is called
   * once, even if the records do not respond; it must not throw.
   */
  recordUse(keys: readonly string[], done: () => void): void;
  /** The number of requests that wait for the records. */
  waiting(): number;
}

export interface AdmissionOptions {
  /** Batches that are looked up concurrently; requests that arrive meanwhile wait for the next one. */
  batchesAtOnce: number;
  /** Requests that may wait for their batch; more are refused at once. */
  longestQueue: number;
  /** How long a request may wait for the records, in milliseconds. */
  maxWaitMs: number;
  observer: AdmissionObserver;
}

export interface AdmissionObserver {
  /** The records responded to a batch: its requests, its distinct keys, the milliseconds since its first request. */
  batchAnswered(requests: number, keys: number, ms: number): void;
  /** The records failed or did not respond in time, or the queue was full. */
  admissionFailed(error: unknown): void;
}

/**
 * Larger batches gain nothing and lengthen the event-loop turn. libuv accepts one connection per turn (PR 3696): with
 * larger batches the last of 500 simultaneous connections waited for seconds.
 */
const MOST_IN_A_BATCH = 64;

interface Batch {
  keys: string[];
  callbacks: AdmissionCallback[];
  /** Keys for which only the last-used time is updated, and the callbacks of their requests. */
  recordedKeys: string[];
  recorded: (() => void)[];
  /** `performance.now()` when the first request came. */
  since: number;
  /** The timer that limits the wait; undefined if the batch does not wait. */
  timer: NodeJS.Timeout | undefined;
  isFinished: boolean;
}

export function admissionQueue(records: Pick<Records, 'admit'>, options: AdmissionOptions): AdmissionQueue {
  return new BatchedAdmission(records, options);
}

class BatchedAdmission implements AdmissionQueue {
  readonly #records: Pick<Records, 'admit'>;
  readonly #options: AdmissionOptions;
  readonly #queue: Batch[] = [];
  #batchesAsked = 0;
  #requestsAsked = 0;

  constructor(records: Pick<Records, 'admit'>, options: AdmissionOptions) {
    this.#records = records;
    this.#options = options;
  }

  waiting(): number {
    return this.#requestsAsked + this.#requestsQueued();
  }

  #requestsQueued(): number {
    return this.#queue.reduce((sum, batch) => sum + requestsIn(batch), 0);
  }

  admit(key: string, callback: AdmissionCallback): void {
    if (this.#isFull()) return callback(FAILED);
    const batch = this.#batchWithRoom();
    batch.keys.push(key);
    batch.callbacks.push(callback);
  }

  recordUse(keys: readonly string[], done: () => void): void {
    if (this.#isFull()) return done();
    const batch = this.#batchWithRoom();
    batch.recordedKeys.push(...keys);
    batch.recorded.push(done);
  }

  /** Reports it if it is. */
  #isFull(): boolean {
    const { longestQueue, observer } = this.#options;
    if (this.#requestsQueued() < longestQueue) return false;
    observer.admissionFailed(new Error(`more than ${longestQueue} requests wait for the records`));
    return true;
  }

  #batchWithRoom(): Batch {
    const last = this.#queue.at(-1);
    if (last !== undefined && requestsIn(last) < MOST_IN_A_BATCH) return last;
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
    const { uses, useOf } = distinct(batch);
    batch.keys = []; // from here on only hashes are needed
    batch.recordedKeys = [];
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
    this.#requestsAsked += requestsIn(batch);
    const outcome = await standings.catch((error: unknown) => ({ error }));
    this.#batchesAsked -= 1;
    this.#requestsAsked -= requestsIn(batch);
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
    const { callbacks, recorded, since } = batch;
    const { observer } = this.#options;
    observer.batchAnswered(requestsIn(batch), uses.length, performance.now() - since);
    const admissionOf = admissionsOf(uses, standings);
    for (let index = 0; index < callbacks.length; index++) callbacks[index]!(admissionOf(useOf[index]!));
    for (const done of recorded) done();
  }

  #limitWait(batch: Batch): void {
    const { maxWaitMs } = this.#options;
    batch.timer ??= setTimeout(() => {
      const place = this.#queue.indexOf(batch);
      if (place !== -1) this.#queue.splice(place, 1);
      this.#giveUp(batch, new Error(`the records did not answer within ${maxWaitMs} ms`));
    }, maxWaitMs);
  }

  #giveUp(batch: Batch, error: unknown): void {
    if (!finish(batch)) return;
    this.#options.observer.admissionFailed(error);
    for (const callback of batch.callbacks) callback(FAILED);
    for (const done of batch.recorded) done();
  }
}

function newBatch(): Batch {
  return {
    keys: [],
    callbacks: [],
    recordedKeys: [],
    recorded: [],
    since: performance.now(),
    timer: undefined,
    isFinished: false,
  };
}

function requestsIn({ callbacks, recorded }: Batch): number {
  return callbacks.length + recorded.length;
}

/** Returns true at the first call only: a batch is answered once, in time or not at all. */
function finish(batch: Batch): boolean {
  if (batch.isFinished) return false;
  batch.isFinished = true;
  clearTimeout(batch.timer);
  return true;
}

/**
 * The distinct keys of a batch, and for each request the index of its key. Each key is hashed once per batch;
 * consecutive requests often have the same key. Keys in clear are dropped with the batch.
 */
function distinct({ keys, recordedKeys }: Pick<Batch, 'keys' | 'recordedKeys'>): {
  uses: KeyUse[];
  useOf: number[];
} {
  const indexOf = new Map<string, number>();
  const uses: KeyUse[] = [];
  const indexOfKey = (key: string) => {
    const hash = sha256(key);
    const index = indexOf.get(hash) ?? uses.push({ hash, requests: 0 }) - 1;
    indexOf.set(hash, index);
    return index;
  };
  let last = '';
  let index = 0;
  const useOf = keys.map((key) => {
    if (key !== last) {
      last = key;
      index = indexOfKey(key);
    }
    uses[index]!.requests += 1;
    return index;
  });
  for (const key of recordedKeys) indexOfKey(key);
  return { uses, useOf };
}
