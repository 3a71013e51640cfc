import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '../../../lib/documents/routes.ts';

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

/** A request and its allowed responses. */
export interface Ask {
  operation: string;
  /** The document in a 200 response. */
  answer: Operation['answer'];
  path: string;
  headers: Record<string, string>;
  expected: readonly number[];
  isSample: boolean;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** Null if it was not requested. */
  body: string | null;
}

/** The outcome of one scheduled request: its latency from the due time, and what was wrong. */
export interface Outcome {
  operation: string;
  status: number;
  /** From the due time, not from a free connection: so the delays of a stalled gateway count. */
  ms: number;
  complaint: string | null;
}
