import type { RecordsLocation } from '../lib/config.ts';

/**
 * How long a request waits, in milliseconds. The sum for records and document must stay below `proxy_read_timeout` in
 * infra/nginx/sightline.conf, or nginx would respond instead of the gateway.
 */

/** For the records. While SQLite waits for another process that writes, the whole process waits. */
export const RECORDS_WAIT_MS: Record<RecordsLocation['kind'], number> = { sqlite: 250, postgres: 2000 };

/** For a document that is not in memory. */
export const DOCUMENT_WAIT_MS = 7500;

/** The limit of one attempt to read from the store, and their number: together less than a request waits. */
export const STORE_SILENCE_SECONDS = 2;
export const STORE_ATTEMPTS = 3;

/** After SHUTDOWN_SECONDS: how long store and records may take to close before the process exits. */
export const CLOSING_MS = 10_000;
