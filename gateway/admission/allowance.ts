import type { ErrorCode } from '../../lib/errors.ts';
import type { CountedKey, KeyStanding, KeyUse, RefusedKey } from '../records/records.ts';

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
  /** By workspace: how many of its requests are counted before the next one of the batch. */
  const before = new Map<string, number>();
  for (const [index, standing] of standings.entries()) {
    if (standing.refused !== null) continue;
    const { workspaceId, used } = standing;
    before.set(workspaceId, (before.get(workspaceId) ?? used) - uses[index]!.requests);
  }
  return (use) => {
    const standing = standings[use]!;
    if (standing.refused !== null) return standing;
    const place = before.get(standing.workspaceId)! + 1;
    before.set(standing.workspaceId, place);
    return countedAt(place, standing);
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
