import { SightlineError } from './error.ts';
import { memoryStore } from './store.ts';
import type { ResponseStore } from './store.ts';
import { version } from './version.ts';

export interface SightlineOptions {
  /** The URL of the gateway, such as `https://api.example.com`. */
  baseUrl: string;
  /** `vis_` and 48 hexadecimal digits. */
  apiKey: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Stores responses for conditional requests. Default: in memory. `null`: no store. */
  store?: ResponseStore | null | undefined;
  /** Gets what `store` throws, such as a full disk. The methods work without the store. Default: ignored. */
  onStoreError?: ((error: unknown) => void) | undefined;
  /** Milliseconds for one attempt, body included; above 0, `Infinity` for no limit. Default: 10,000. */
  timeoutMs?: number | undefined;
  /** Retries of a request after 429, a status of 500 or above, or a network error; 0 for none. Default: 5. */
  maxRetries?: number | undefined;
  /** The name and version of your program, `monday-report/1.2`: it precedes the client's own in `User-Agent`. */
  userAgent?: string | undefined;
}

/** Options that were checked, with their defaults. */
export interface CheckedOptions {
  /** The address without a slash at its end. */
  base: string;
  headers: Readonly<Record<string, string>>;
  fetch: typeof globalThis.fetch;
  store: ResponseStore | null;
  onStoreError: (error: unknown) => void;
  timeoutMs: number;
  maxRetries: number;
}

/** With a longer delay, setTimeout fires at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** @throws SightlineError `missing_key`, `invalid_key`; TypeError for another invalid option. */
export function checkedOptions(options: SightlineOptions): CheckedOptions {
  return {
    base: baseOf(options.baseUrl),
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${checkedKey(options.apiKey)}`,
      'user-agent': userAgentOf(options.userAgent),
    },
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    store: options.store === undefined ? memoryStore() : options.store,
    onStoreError: options.onStoreError ?? (() => undefined),
    timeoutMs: timeoutOf(options.timeoutMs ?? 10_000),
    maxRetries: retriesOf(options.maxRetries ?? 5),
  };
}

function baseOf(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must be an http or https address without a user');
  return url.origin + url.pathname.replace(/(?:\/api\/v1)?\/*$/, '');
}

function checkedKey(apiKey: unknown): string {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (key === '') throw new SightlineError('missing_key', 'apiKey is missing or empty');
  // The message of an invalid header would contain the key.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new SightlineError('invalid_key', 'apiKey is malformed');
  return key;
}

function timeoutOf(timeoutMs: unknown): number {
  if (typeof timeoutMs === 'number' && timeoutMs > 0) return Math.min(timeoutMs, LONGEST_TIMEOUT_MS);
  throw new TypeError('timeoutMs must be a number of milliseconds above 0');
}

function retriesOf(maxRetries: unknown): number {
  if (typeof maxRetries === 'number' && maxRetries >= 0) return maxRetries;
  throw new TypeError('maxRetries must be a number, 0 or more');
}

function userAgentOf(program: string | undefined): string {
  if (program !== undefined && !/^[\x20-\x7e]+$/.test(program))
    throw new TypeError('userAgent must be printable ASCII');
  return `${program === undefined ? '' : `${program} `}sightline-client/${version}`;
}
