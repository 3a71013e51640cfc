import type { ErrorCode } from '../../lib/errors.ts';
import { allowanceOf } from '../../lib/plans.ts';

/** The requests of a batch that have the same key. */
export interface KeyUse {
  /** SHA-256 of the key, lower-case hexadecimal. */
  hash: string;
  /** The number of requests to count; 0: only the last-used time is updated. */
  requests: number;
}

/** The state of a key in the records at the time of the query. */
export type KeyStanding = RefusedKey | CountedKey;

/** `refused` is the code of the error; `keyId` and `workspaceId` are null if it is not known whose key it is. */
export interface RefusedKey {
  refused: Extract<ErrorCode, 'invalid_key' | 'plan_required' | 'internal'>;
  keyId: number | null;
  workspaceId: string | null;
}

export const UNKNOWN_KEY: RefusedKey = { refused: 'invalid_key', keyId: null, workspaceId: null };

/** The key is valid, and its requests are already counted. */
export interface CountedKey {
  refused: null;
  keyId: number;
  workspaceId: string;
  /** The allowance: requests of the workspace per minute. */
  limit: number;
  /** Requests of the workspace in this minute, including all of this batch and those that are refused. */
  used: number;
  /** Unix time in seconds when this minute ends. */
  minuteEnds: number;
  /** Whole seconds until the minute ends, at least 1. */
  secondsLeft: number;
}

/** The effective allowance of a workspace; null if its plan does not include the API. @param own overrides the plan's */
export function limitOf(plan: string, own: number | null): number | null {
  const allowance = allowanceOf(plan);
  return allowance === null ? null : (own ?? allowance);
}

const MINUTE_MS = 60_000;

/** The aligned wall-clock minute of an instant, counted in minutes since the Unix epoch. */
export function minuteOf(nowMs: number): number {
  return Math.floor(nowMs / MINUTE_MS);
}

/** A count of requests in a minute. */
export interface CountedMinute {
  minute: number;
  requests: number;
}

/** @param counted the minute of the workspace, if the key is active and its plan includes the API */
export function standingOf(
  key: { keyId: number; workspaceId: string },
  isRevoked: boolean,
  limit: number | null,
  counted: CountedMinute | undefined,
  nowMs: number,
): KeyStanding {
  const { keyId, workspaceId } = key;
  if (isRevoked) return { refused: 'invalid_key', keyId, workspaceId };
  if (limit === null) return { refused: 'plan_required', keyId, workspaceId };
  const { minute, requests: used } = counted!;
  const minuteEnds = (minute + 1) * 60;
  const secondsLeft = Math.max(1, Math.ceil(minuteEnds - nowMs / 1000));
  return { refused: null, keyId, workspaceId, limit, used, minuteEnds, secondsLeft };
}
