import type { ErrorCode } from '../../lib/errors.ts';
import type { CountedKey, KeyStanding, KeyUse, RefusedKey } from '../records/standing.ts';

/** The allowance of a workspace in the current minute, after one request. */
export interface Allowance {
  /** Requests allowed per minute. */
  limit: number;
  /** Requests left in this minute. */
  remaining: number;
  /** Unix time in seconds when the minute ends. */
  reset: number;
  /** Whole seconds until the minute ends, at least 1. */
  retryAfter: number;
}

/**
 * The result for one request. `refused` is the code of the error, null if the request is admitted; `keyId` and
 * `workspaceId` are null if the key is unknown.
 */
export type Admission = Counted | RefusedKey | Failed;

export interface Counted {
  refused: null | Extract<ErrorCode, 'rate_limited'>;
  keyId: number;
  workspaceId: string;
  allowance: Allowance;
}

/** The records did not respond in time. */
export interface Failed {
  refused: Extract<ErrorCode, 'internal'>;
  keyId: null;
  workspaceId: null;
}

export const FAILED: Failed = { refused: 'internal', keyId: null, workspaceId: null };

/**
 * Derives the admission of each request of a batch. The requests of one workspace were counted together, with all their
 * keys; each takes its place in that count in the order of arrival.
 * @returns a function to be called once per request, in that order, with the index of its key in `uses`
 */
export function admissionsOf(
  uses: readonly KeyUse[],
  standings: readonly KeyStanding[],
): (use: number) => Admission {
  /** By workspace: how many of its requests are counted before the next one of the batch. One object for all its keys. */
  const before = new Map<string, { requests: number }>();
  const beforeUse = standings.map((standing, index) => {
    if (standing.refused !== null) return null;
    const counted = before.get(standing.workspaceId) ?? { requests: standing.used };
    before.set(standing.workspaceId, counted);
    counted.requests -= uses[index]!.requests;
    return counted;
  });
  return (use) => {
    const standing = standings[use]!;
    return standing.refused === null ? countedAt(++beforeUse[use]!.requests, standing) : standing;
  };
}

function countedAt(place: number, standing: CountedKey): Counted {
  const { keyId, workspaceId, limit, minuteEnds, secondsLeft } = standing;
  return {
    refused: place <= limit ? null : 'rate_limited',
    keyId,
    workspaceId,
    allowance: { limit, remaining: Math.max(0, limit - place), reset: minuteEnds, retryAfter: secondsLeft },
  };
}
