import type { IncomingHttpHeaders } from 'node:http';
import type { HistoryAnswer } from '../../../lib/history/routes.ts';

export interface LoadOptions {
  url: string;
  key: string[];
  rate: number;
  duration: number;
  connections: number;
  conditional: number;
  wrongKeys: number;
  unknownBrands: number;
  history: number;
  limitedKey?: string[];
  limited: number;
  sample: number;
  p50?: number;
  p99?: number;
  errors: number;
}

/** A request and what may come back. */
export interface Ask {
  operation: string;
  /** What a 200 has in it. */
  answer: HistoryAnswer;
  path: string;
  headers: Record<string, string>;
  expected: readonly number[];
  isSample: boolean;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Null if it was not asked for. */
  body: string | null;
}

/** One request of the schedule: how long it took from the moment it was due, and what was wrong with it. */
export interface Outcome {
  operation: string;
  status: number;
  /** From when it was due, not from when a connection was free: a gateway that stalls is not spared the waiting. */
  ms: number;
  complaint: string | null;
}
