import type { RecordsLocation } from '../lib/config.ts';

/**
 * How long a request waits, in milliseconds. The records and a document together stay below the `proxy_read_timeout` of
 * infra/nginx/sightline.conf, or nginx would respond instead of the gateway; a test compares them.
 */

/** For the records. While SQLite waits for another process that writes, nothing else goes on: a quarter of a second, no more. */
export const RECORDS_WAIT_MS: Record<RecordsLocation['kind'], number> = { sqlite: 250, postgres: 2000 };

/** For a document that is not in memory. */
export const DOCUMENT_WAIT_MS = 7500;

/** One attempt to read from the store, and how many there are: together less than a request waits. A job has more time. */
export const STORE_SILENCE_MS = 2000;
export const STORE_ATTEMPTS = 3;

/** After SHUTDOWN_SECONDS: how long store, records and log may take to close before the process is ended. */
export const CLOSING_MS = 10_000;
