import { errorOf, SightlineError, wholeNumber } from './error.ts';
import { memoryStore } from './store.ts';
import type { ResponseStore, StoredResponse } from './store.ts';
import { wait, withTimeout } from './wait.ts';

export interface SightlineOptions {
  /** The URL of the gateway, such as `https://api.example.com`. */
  baseUrl: string;
  /** `vis_` and 48 hexadecimal digits. */
  apiKey: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Stores responses for conditional requests. Default: in memory. `null`: no store. */
  store?: ResponseStore | null | undefined;
  /** Milliseconds for one attempt, body included. Default: 10,000. */
  timeoutMs?: number | undefined;
  /** Retries of a request after 429, a status of 500 or above, or a network error. Default: 5. */
  maxRetries?: number | undefined;
}

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
  /** True if the service responded 304: `data` is from the store. */
  fromCache: boolean;
  rateLimit: RateLimit | null;
  requestId: string | null;
}

/** For a longer Retry-After the error is thrown. The API itself sends at most 60. */
const LONGEST_RETRY_AFTER_SECONDS = 120;

/** With a longer delay, setTimeout fires at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Sends requests, and retries 429, server errors and network errors. */
export class Connection {
  /** The number of responses so far, including those before a retry: each may have counted. */
  responses = 0;
  /** The lowest number of remaining requests that a response of the newest minute reported. */
  rateLimit: RateLimit | null = null;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof globalThis.fetch;
  readonly #store: ResponseStore | null;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;

  /** @throws SightlineError `missing_key`, `invalid_key`; TypeError for an invalid address. */
  constructor(options: SightlineOptions) {
    this.#base = baseOf(options.baseUrl);
    this.#headers = { accept: 'application/json', authorization: `Bearer ${checkedKey(options.apiKey)}` };
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#store = options.store === undefined ? memoryStore() : options.store;
    this.#timeoutMs = Math.min(options.timeoutMs ?? 10_000, LONGEST_TIMEOUT_MS);
    this.#maxRetries = options.maxRetries ?? 5;
  }

  async get<Data>(path: string, { signal }: RequestOptions = {}): Promise<SightlineResponse<Data>> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt<Data>(path, signal);
      } catch (error) {
        const delay = attempt < this.#maxRetries ? delayBefore(error, attempt) : null;
        if (delay === null) throw error;
        await wait(delay, signal);
      }
    }
  }

  async #attempt<Data>(path: string, signal: AbortSignal | undefined): Promise<SightlineResponse<Data>> {
    const url = `${this.#base}${path}`;
    const kept = usable(await this.#store?.get(url));
    const { response, text } = await this.#fetchText(path, url, kept?.etag, signal);
    const { status, headers } = response;
    const rateLimit = rateLimitOf(headers);
    this.responses += 1;
    this.rateLimit = stricterOf(this.rateLimit, rateLimit);
    const fromCache = status === 304 && kept !== null;
    const content = fromCache ? kept : status === 200 ? contentOf(text) : null;
    if (content === null) throw errorOf(path, response, text);
    const etag = headers.get('etag');
    if (!fromCache && etag !== null) await this.#store?.set(url, { etag, body: text });
    const published = headers.get('last-modified');
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

  /** @throws SightlineError `network`, `timeout` */
  async #fetchText(
    path: string,
    url: string,
    etag: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ response: Response; text: string }> {
    const headers = etag === undefined ? this.#headers : { ...this.#headers, 'if-none-match': etag };
    const result = await withTimeout(this.#timeoutMs, signal, async (ending) => {
      // A redirect to another host would drop the key, and the 401 would hide that the URL is wrong.
      const response = await this.#fetch(url, { headers, redirect: 'manual', signal: ending });
      return { response, text: await response.text() };
    }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new SightlineError('network', `${path}: ${reasonOf(error)}`, { cause: error });
    });
    if (result.isTimedOut)
      throw new SightlineError('timeout', `${path}: no response within ${this.#timeoutMs} ms`);
    return result.value;
  }
}

/** Milliseconds until the next attempt; null for no retry. */
function delayBefore(error: unknown, attempt: number): number | null {
  if (!(error instanceof SightlineError)) return null;
  const { code, status, retryAfterSeconds } = error;
  if (code !== 'network' && code !== 'timeout' && status !== 429 && (status ?? 0) < 500) return null;
  const least = retryAfterSeconds ?? 0;
  if (least > LONGEST_RETRY_AFTER_SECONDS) return null;
  // Not longer: after Retry-After the new minute has begun.
  if (status === 429 && least > 0) return least * 1000;
  return Math.max(least * 1000, Math.min(8000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2));
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
  return content ? { ...content, etag: kept.etag } : null;
}

function rateLimitOf(headers: Headers): RateLimit | null {
  const limit = wholeNumber(headers.get('x-ratelimit-limit'));
  const remaining = wholeNumber(headers.get('x-ratelimit-remaining'));
  const reset = wholeNumber(headers.get('x-ratelimit-reset'));
  if (limit === null || remaining === null || reset === null) return null;
  return { limit, remaining, resetsAt: new Date(reset * 1000) };
}

/** The newer limit, unless it has more requests left in the same minute: then the response arrived out of order. */
function stricterOf(known: RateLimit | null, next: RateLimit | null): RateLimit | null {
  if (next === null) return known;
  const isSameMinute = known?.resetsAt.getTime() === next.resetsAt.getTime();
  return isSameMinute && known.remaining < next.remaining ? known : next;
}

function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must be an http or https address without a user');
  return url.origin + url.pathname.replace(/(?:\/api\/v1)?\/*$/, '');
}

function checkedKey(apiKey: string): string {
  const key = apiKey.trim();
  if (key === '') throw new SightlineError('missing_key', 'apiKey is empty');
  // The message of an invalid header would contain the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new SightlineError('invalid_key', 'apiKey is malformed');
  return key;
}

/** The cause of `fetch failed`, which itself has no details. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const found = cause instanceof Error && cause.message !== '' ? cause : error;
  return found instanceof Error ? found.message : String(found);
}
