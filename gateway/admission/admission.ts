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
  /** The place in `uses` of each key in clear. */
  places: Map<string, number>;
  requests: number;
  /** `performance.now()` when the first request came. */
  since: number;
  /** The admission of each request, in the order of arrival, by the place of its key; null if the records gave no answer. */
  answered: Promise<AdmissionOf | null>;
  answer: (admissionOf: AdmissionOf | null) => void;
  /** Limits the wait. */
  timer: NodeJS.Timeout;
  isFinished: boolean;
}

type AdmissionOf = (place: number) => Admission;

/**
 * Admits requests in batches. The keys of all requests that arrive in one turn of the event loop, up to 64, are looked
 * up in one transaction, which starts after the last of them has arrived. This is a group commit, not a cache: each
 * result reflects the records after the arrival of its request. One transaction per request was measured at a quarter
 * of the throughput.
 */
export class AdmissionQueue {
  readonly #records: Pick<Records, 'admit'>;
  readonly #options: AdmissionOptions;
  #queue: Batch[] = [];
  readonly #asked = new Set<Batch>();
  #isScheduled = false;
  /** Since the records responded last. */
  #failures = 0;
  #newestFailure: unknown;

  constructor(records: Pick<Records, 'admit'>, options: AdmissionOptions) {
    this.#records = records;
    this.#options = options;
  }

  /** The number of requests that wait for the records. */
  waiting(): number {
    return requestsIn(this.#queue) + requestsIn([...this.#asked]);
  }

  /** @throws the newest reason if the last ten batches have failed, or requests because the queue was full. */
  demandAdmissions(): void {
    if (this.#failures >= MOST_FAILURES)
      throw new Error(`the last ${this.#failures} admissions have failed: ${reasonOf(this.#newestFailure)}`);
  }

  /** Never rejects: without a response of the records the request is refused. */
  async admit(key: string): Promise<Admission> {
    const batch = this.#join();
    if (batch === null) return FAILED;
    const place = placeOf(key, batch);
    batch.uses[place]!.requests += 1;
    const admissionOf = await batch.answered;
    return admissionOf === null ? FAILED : admissionOf(place);
  }

  /** Updates the last-used times of the keys of a request that is refused anyway, and counts nothing. Never rejects. */
  async recordUse(keys: readonly string[]): Promise<void> {
    const batch = keys.length === 0 ? null : this.#join();
    if (batch === null) return;
    for (const key of keys) placeOf(key, batch);
    await batch.answered;
  }

  /** The batch of the next request; null if the queue is full, which is reported. */
  #join(): Batch | null {
    const { longestQueue } = this.#options;
    if (requestsIn(this.#queue) >= longestQueue) {
      this.#fail(new Error(`more than ${longestQueue} requests wait for the records`));
      return null;
    }
    const last = this.#queue.at(-1);
    const batch = last !== undefined && last.requests < MOST_IN_A_BATCH ? last : this.#open();
    batch.requests += 1;
    return batch;
  }

  #open(): Batch {
    const { maxWaitMs } = this.#options;
    const late = () => this.#giveUp(batch, new Error(`the records did not answer within ${maxWaitMs} ms`));
    const { promise: answered, resolve: answer } = Promise.withResolvers<AdmissionOf | null>();
    const timer = setTimeout(late, maxWaitMs);
    const since = performance.now();
    const batch: Batch = {
      uses: [],
      places: new Map(),
      requests: 0,
      since,
      answered,
      answer,
      timer,
      isFinished: false,
    };
    this.#queue.push(batch);
    this.#schedule();
    return batch;
  }

  /** One batch in a turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    if (this.#asked.size >= this.#options.batchesAtOnce) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#askNext());
  }

  async #askNext(): Promise<void> {
    this.#isScheduled = false;
    const batch = this.#queue.shift();
    if (batch === undefined) return; // given up meanwhile
    this.#asked.add(batch);
    this.#schedule();
    try {
      this.#answer(batch, await this.#records.admit(batch.uses));
    } catch (error) {
      this.#giveUp(batch, error);
    }
    this.#asked.delete(batch);
    this.#schedule();
  }

  #answer(batch: Batch, standings: readonly KeyStanding[]): void {
    if (!finish(batch)) return;
    this.#failures = 0;
    const { uses, requests, since } = batch;
    this.#options.observer.batchAnswered(requests, uses.length, performance.now() - since);
    batch.answer(admissionsOf(uses, standings));
  }

  #giveUp(batch: Batch, error: unknown): void {
    if (!finish(batch)) return;
    this.#queue = this.#queue.filter((each) => each !== batch);
    this.#fail(error);
    batch.answer(null);
  }

  #fail(error: unknown): void {
    this.#failures += 1;
    this.#newestFailure = error;
    this.#options.observer.admissionFailed(error);
  }
}

/** The place of a key in the batch. Each is hashed once per batch. */
function placeOf(key: string, { places, uses }: Batch): number {
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = uses.push({ hash: sha256(key), requests: 0 }) - 1;
  places.set(key, place);
  return place;
}

function requestsIn(batches: readonly Batch[]): number {
  return batches.reduce((sum, { requests }) => sum + requests, 0);
}

/** Returns true at the first call only: a batch is answered once, in time or not at all. */
function finish(batch: Batch): boolean {
  if (batch.isFinished) return false;
  batch.isFinished = true;
  clearTimeout(batch.timer);
  return true;
}
