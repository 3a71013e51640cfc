import { errorOf, SightlineError, wholeNumber } from './error.ts';
import { finalEntryOf, finalSnapshotOf } from './final.ts';
import { checkedOptions } from './options.ts';
import type { CheckedOptions, SightlineOptions } from './options.ts';
import type { ResponseStore, StoredResponse } from './store.ts';
import { wait, withTimeout } from './wait.ts';

export interface RequestOptions {
  /** Ends requests and waits. The method then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** The allowance of the workspace, which all of its keys share. */
export interface RateLimit {
  /** Requests per calendar minute. */
  limit: number;
  /** Requests left in this minute. */
  remaining: number;
  /** When this minute ends, by the clock of the service. */
  resetsAt: Date;
}

export interface SightlineResponse<Data> {
  /** A new object for each call. */
  data: Data;
  /** The exact text of the response, `{"data":…}`: what `sightline-client/verify` compares with a proof. */
  body: string;
  /** The id of the snapshot that the data is from; null for the list of snapshots and before the first snapshot. */
  snapshotId: string | null;
  /** When that snapshot was published. */
  publishedAt: Date | null;
  etag: string | null;
  /** True if `data` is from the store: the service responded 304, or it is a document of a snapshot, and nothing was sent. */
  fromCache: boolean;
  rateLimit: RateLimit | null;
  requestId: string | null;
}

/** For a longer Retry-After the error is thrown. The API itself sends at most 60. */
const LONGEST_RETRY_AFTER_SECONDS = 120;

/** Sends requests, and retries 429, server errors and network errors. */
export class Connection {
  /** The number of responses so far, including those before a retry: each may have counted. */
  responses = 0;
  /** The lowest number of remaining requests that a response of the newest minute reported. */
  rateLimit: RateLimit | null = null;
  readonly #options: CheckedOptions;

  /** @throws SightlineError `missing_key`, `invalid_key`; TypeError for another invalid option. */
  constructor(options: SightlineOptions) {
    this.#options = checkedOptions(options);
  }

  async get<Data>(path: string, { signal }: RequestOptions = {}): Promise<SightlineResponse<Data>> {
    const final = await this.#final<Data>(path);
    if (final !== null) return final;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt<Data>(path, signal);
      } catch (error) {
        const delay = attempt < this.#options.maxRetries ? delayBefore(error, attempt) : null;
        if (delay === null) throw error;
        await wait(delay, signal);
      }
    }
  }

  /** A stored document of a snapshot: it never changes, so nothing is sent. Null for all else. */
  async #final<Data>(path: string): Promise<SightlineResponse<Data> | null> {
    const snapshotId = finalSnapshotOf(path);
    if (snapshotId === null) return null;
    const entry = await this.#entryOf(path);
    const kept = usable(await this.#stored(async (store) => await store.get(entry)));
    if (kept === null) return null;
    const { body, etag, lastModified } = kept;
    return {
      data: kept.data as Data,
      body,
      snapshotId,
      etag,
      fromCache: true,
      rateLimit: null,
      requestId: null,
      publishedAt: lastModified === null ? null : new Date(lastModified),
    };
  }

  /** What the store calls a response. */
  async #entryOf(path: string): Promise<string> {
    const { base, headers } = this.#options;
    const url = `${base}${path}`;
    return finalSnapshotOf(path) === null ? url : await finalEntryOf(url, headers['authorization']!);
  }

  async #attempt<Data>(path: string, signal: AbortSignal | undefined): Promise<SightlineResponse<Data>> {
    const url = `${this.#options.base}${path}`;
    const entry = await this.#entryOf(path);
    const kept = usable(await this.#stored(async (store) => await store.get(entry)));
    const { response, text } = await this.#fetchText(path, url, kept?.etag, signal);
    const { status, headers } = response;
    const rateLimit = rateLimitOf(headers);
    this.responses += 1;
    this.rateLimit = stricterOf(this.rateLimit, rateLimit);
    const fromCache = status === 304 && kept !== null;
    const content = fromCache ? kept : status === 200 ? contentOf(text) : null;
    if (content === null) throw errorOf(path, response, text);
    const etag = headers.get('etag');
    const published = headers.get('last-modified');
    if (!fromCache && etag !== null)
      await this.#stored(
        async (store) => await store.set(entry, { etag, body: text, lastModified: published }),
      );
    return {
      data: content.data as Data,
      body: content.body,
      snapshotId: headers.get('x-snapshot-id'),
      publishedAt: published === null ? null : new Date(published),
      etag,
      fromCache,
      rateLimit,
      requestId: headers.get('x-request-id'),
    };
  }

  /** What the store returns; undefined if it fails, because a response must not be lost by its cache. */
  async #stored<Result>(work: (store: ResponseStore) => Promise<Result>): Promise<Result | undefined> {
    const { store, onStoreError } = this.#options;
    if (store === null) return undefined;
    try {
      return await work(store);
    } catch (error) {
      onStoreError(error);
      return undefined;
    }
  }

  /** @throws SightlineError `network`, `timeout` */
  async #fetchText(
    path: string,
    url: string,
    etag: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ response: Response; text: string }> {
    const { fetch, timeoutMs } = this.#options;
    const headers = { ...this.#options.headers, ...(etag !== undefined && { 'if-none-match': etag }) };
    const result = await withTimeout(timeoutMs, signal, async (ending) => {
      try {
        // A redirect to another host would drop the key, and the 401 would hide that the URL is wrong.
        const response = await fetch(url, { headers, redirect: 'manual', signal: ending });
        return { response, text: await response.text() };
      } catch (error) {
        throw new SightlineError('network', `${path}: ${reasonOf(error)}`, { cause: error });
      }
    });
    if (result.isTimedOut) throw new SightlineError('timeout', `${path}: no response within ${timeoutMs} ms`);
    return result.value;
  }
}

/** Milliseconds until the next attempt; null for no retry. */
function delayBefore(error: unknown, attempt: number): number | null {
  if (!(error instanceof SightlineError)) return null;
  const { status, retryAfterSeconds } = error;
  // Without a status: a network error or a timeout.
  if (status !== null && status !== 429 && status < 500) return null;
  const least = retryAfterSeconds ?? 0;
  if (least > LONGEST_RETRY_AFTER_SECONDS) return null;
  const backoff = Math.min(8000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2);
  if (least === 0) return backoff;
  // Up to a second more, so that requests that were refused together are not repeated in one instant.
  const after = (least + Math.random()) * 1000;
  // Not longer after 429: a new minute has begun.
  return status === 429 ? after : Math.max(after, backoff);
}

/** The body of a success with its data; null for anything else. */
function contentOf(body: string): { body: string; data: unknown } | null {
  try {
    const envelope = JSON.parse(body) as { data: unknown } | null;
    const isSuccess = typeof envelope === 'object' && envelope !== null && 'data' in envelope;
    return isSuccess ? { body, data: envelope.data } : null;
  } catch {
    return null;
  }
}

/** A stored response with its data; null if there is none, or it is damaged. */
function usable(kept: StoredResponse | undefined) {
  const content = kept && contentOf(kept.body);
  return content ? { ...content, etag: kept.etag, lastModified: kept.lastModified ?? null } : null;
}

function rateLimitOf(headers: Headers): RateLimit | null {
  const names = ['limit', 'remaining', 'reset'];
  const numbers = names.map((name) => wholeNumber(headers.get(`x-ratelimit-${name}`)));
  if (numbers.includes(null)) return null;
  const [limit, remaining, reset] = numbers as [number, number, number];
  return { limit, remaining, resetsAt: new Date(reset * 1000) };
}

/** The newer limit, unless it has more requests left in the same minute: then the response arrived out of order. */
function stricterOf(known: RateLimit | null, next: RateLimit | null): RateLimit | null {
  if (next === null) return known;
  const isSameMinute = known?.resetsAt.getTime() === next.resetsAt.getTime();
  return isSameMinute && known.remaining < next.remaining ? known : next;
}

/** The cause of `fetch failed`, which itself has no details. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const found = cause instanceof Error && cause.message !== '' ? cause : error;
  return found instanceof Error ? found.message : String(found);
}
