import type { Operation } from '../../../lib/documents/routes.ts';

/** What is requested, at which rate, and what is demanded. */
export interface LoadOptions {
  url: string;
  key: string[];
  /** Requests a second. */
  rate: number;
  /** Seconds. */
  duration: number;
  connections: number;
  /** Seconds from the due time of a request until it counts as failed. */
  timeLimit: number;
  processes?: number;
  conditional: number;
  wrongKeys: number;
  unknownBrands: number;
  history: number;
  limitedKey?: string[];
  limited: number;
  sample: number;
  /** The address of the gateway's metrics. */
  metrics?: string;
  /** Objectives of the load tester: the share of the rate that it must send, and its lag (p99) in milliseconds. */
  attained: number;
  lag: number;
  /** Objectives of the gateway: milliseconds, and the share of wrong responses. */
  p50?: number;
  p99?: number;
  errors: number;
}

/** A key, and what can be requested with it. */
export interface Target {
  key: string;
  brandIds: string[];
  /** The ids of snapshots that are not pruned. */
  snapshotIds: string[];
  /** 429 is correct for it. */
  isLimited: boolean;
}

/** A request and its allowed responses. */
export interface Ask {
  operation: string;
  /** The document in a 200 response. */
  answer: Operation['answer'];
  path: string;
  headers: Record<string, string>;
  expected: readonly number[];
  /** The body is read and checked. */
  isSample: boolean;
}

export interface Answer {
  status: number;
  /** By name in lower case. */
  headers: Record<string, string>;
  /** Null if it was not requested. */
  body: string | null;
}
