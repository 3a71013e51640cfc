/** The only file that formats object keys of a lake (docs/decisions/0003-lake-layout.md). */

export const trackingKinds = ['workspaces', 'brands', 'competitors', 'prompts', 'events'] as const;
/** A part of the tracking set; a delivery of one replaces it as of the delivery's date (docs/ingest.md). */
export type TrackingKind = (typeof trackingKinds)[number];
export type RecordKind = TrackingKind | 'runs';

export const DELIVERIES = 'deliveries/';

export function deliveryKey(number: number): string {
  return `${DELIVERIES}${String(number).padStart(8, '0')}.json`;
}

/** Below these lie the objects that deliveries name. */
export const OBJECTS = ['tracking/', 'runs/', 'run-brands/', 'run-ids/', 'rejects/'];

/** Objects are named by their content, so that two ingests at once can never mean different bytes by one name. */
export function trackingKey(kind: TrackingKind, date: string, sha256: string): string {
  return `tracking/${kind}/date=${date}/${sha256.slice(0, 16)}.parquet`;
}

export function runsKey(cycleDate: string, sha256: string): string {
  return `runs/cycle=${cycleDate}/${sha256.slice(0, 16)}.parquet`;
}

export function runBrandsKey(sha256: string): string {
  return `run-brands/${sha256.slice(0, 16)}.parquet`;
}

export function runIdsKey(sha256: string): string {
  return `run-ids/${sha256.slice(0, 16)}.parquet`;
}

export function rejectsKey(sha256: string): string {
  return `rejects/rejects-${sha256.slice(0, 16)}.ndjson`;
}
