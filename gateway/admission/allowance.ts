import type { ErrorCode } from '../../lib/errors.ts';
import type { CountedKey, KeyStanding, KeyUse, RefusedKey } from '../records/standing.ts';

/** The result for one request. */
export type Admission = Counted | RefusedKey;

/** A request that was counted: it is admitted (null), or one too many. */
export interface Counted extends Omit<CountedKey, 'refused' | 'used'> {
  refused: null | Extract<ErrorCode, 'rate_limited'>;
  /** Requests of the workspace that are left in this minute, after this one. */
  remaining: number;
}

/** The records did not respond in time. */
export const FAILED: RefusedKey = { refused: 'internal', keyId: null, workspaceId: null };

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
    limit,
    remaining: Math.max(0, limit - place),
    minuteEnds,
    secondsLeft,
  };
}
