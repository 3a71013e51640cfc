import { reasonOf } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { admissionsOf, FAILED } from './allowance.ts';
import type { Admission } from './allowance.ts';
import type { Records } from '../records/records.ts';
import type { KeyStanding, KeyUse } from '../records/standing.ts';

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
/** A database may answer a ping while it cannot count requests, such as SQLite on a full disk. */
const MOST_FAILURES = 10;

interface Batch {
  /** The distinct keys, hashed, with the number of requests to count. */
  uses: KeyUse[];
  /** The place in `uses` of each key in clear; empty once the records are asked. */
  places: Map<string, number>;
  /** For each request to admit, in order of arrival: the place of its key, and its callback. */
  useOf: number[];
  callbacks: ((admission: Admission) => void)[];
  /** The callbacks of requests for which only last-used times are updated. */
  recorded: (() => void)[];
  /** `performance.now()` when the first request came. */
  since: number;
  /** The timer that limits the wait; undefined if the batch does not wait. */
  timer: NodeJS.Timeout | undefined;
  isFinished: boolean;
}

/**
 * Admits requests in batches. The keys of all requests that arrive in one turn of the event loop, up to 64, are looked
 * up in one transaction, which starts after the last of them has arrived. This is a group commit, not a cache: each
 * result reflects the records after the arrival of its request. One transaction per request was measured at a quarter
 * of the throughput.
 */
export class AdmissionQueue {
  readonly #records: Pick<Records, 'admit'>;
  readonly #options: AdmissionOptions;
  readonly #queue: Batch[] = [];
  #batchesAsked = 0;
  #requestsAsked = 0;
  /** Since the records responded last. */
  #failures = 0;
  #newestFailure: unknown;

  constructor(records: Pick<Records, 'admit'>, options: AdmissionOptions) {
    this.#records = records;
    this.#options = options;
  }

  /** The number of requests that wait for the records. */
  waiting(): number {
    return this.#requestsAsked + this.#requestsQueued();
  }

  #requestsQueued(): number {
    return this.#queue.reduce((sum, batch) => sum + requestsIn(batch), 0);
  }

  /** @throws the newest reason if the last ten batches have failed, or requests because the queue was full. */
  demandAdmissions(): void {
    if (this.#failures >= MOST_FAILURES)
      throw new Error(`the last ${this.#failures} admissions have failed: ${reasonOf(this.#newestFailure)}`);
  }

  /** @param callback called once; must not throw */
  admit(key: string, callback: (admission: Admission) => void): void {
    const batch = this.#join();
    if (batch === null) return callback(FAILED);
    const place = placeOf(key, batch);
    batch.uses[place]!.requests += 1;
    batch.useOf.push(place);
    batch.callbacks.push(callback);
  }

  /**
   * Updates the last-used times of the keys of a request that is refused anyway, and counts nothing.
   * @param done called once, even if the records do not respond; must not throw
   */
  recordUse(keys: readonly string[], done: () => void): void {
    const batch = this.#join();
    if (batch === null) return done();
    for (const key of keys) placeOf(key, batch);
    batch.recorded.push(done);
  }

  /** The batch of the next request; null if the queue is full, which is reported. */
  #join(): Batch | null {
    const { longestQueue, batchesAtOnce } = this.#options;
    if (this.#requestsQueued() >= longestQueue) {
      this.#fail(new Error(`more than ${longestQueue} requests wait for the records`));
      return null;
    }
    const last = this.#queue.at(-1);
    if (last !== undefined && requestsIn(last) < MOST_IN_A_BATCH) return last;
    const batch = newBatch();
    const isNext = this.#queue.push(batch) === 1;
    if (isNext && this.#batchesAsked < batchesAtOnce) setImmediate(this.#askAboutNext);
    else this.#limitWait(batch);
    return batch;
  }

  readonly #askAboutNext = (): void => {
    if (this.#batchesAsked >= this.#options.batchesAtOnce) return;
    const batch = this.#queue.shift();
    if (batch === undefined) return;
    if (this.#queue.length > 0) setImmediate(this.#askAboutNext);
    batch.places.clear();
    let standings;
    try {
      standings = this.#records.admit(batch.uses);
    } catch (error) {
      return this.#giveUp(batch, error);
    }
    if (standings instanceof Promise) void this.#awaitStandings(batch, standings);
    else this.#answer(batch, standings);
  };

  async #awaitStandings(batch: Batch, standings: Promise<readonly KeyStanding[]>): Promise<void> {
    this.#limitWait(batch);
    this.#batchesAsked += 1;
    this.#requestsAsked += requestsIn(batch);
    const outcome = await standings.catch((error: unknown) => ({ error }));
    this.#batchesAsked -= 1;
    this.#requestsAsked -= requestsIn(batch);
    if (this.#queue.length > 0) setImmediate(this.#askAboutNext);
    if ('error' in outcome) this.#giveUp(batch, outcome.error);
    else this.#answer(batch, outcome);
  }

  #answer(batch: Batch, standings: readonly KeyStanding[]): void {
    if (!finish(batch)) return;
    const { uses, useOf, callbacks, recorded, since } = batch;
    this.#failures = 0;
    this.#options.observer.batchAnswered(requestsIn(batch), uses.length, performance.now() - since);
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
    this.#fail(error);
    for (const callback of batch.callbacks) callback(FAILED);
    for (const done of batch.recorded) done();
  }

  #fail(error: unknown): void {
    this.#failures += 1;
    this.#newestFailure = error;
    this.#options.observer.admissionFailed(error);
  }
}

function newBatch(): Batch {
  return {
    uses: [],
    places: new Map(),
    useOf: [],
    callbacks: [],
    recorded: [],
    since: performance.now(),
    timer: undefined,
    isFinished: false,
  };
}

/** The place of a key in the batch. Each is hashed once per batch. */
function placeOf(key: string, { places, uses }: Batch): number {
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = uses.push({ hash: sha256(key), requests: 0 }) - 1;
  places.set(key, place);
  return place;
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
