import type { CountedStanding, KeyStanding, KeyUse } from '../records/records.ts';

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

/** The result for one request. `keyId` and `workspaceId` are null if the key is unknown. */
export type Admission = Counted | Refused;

export interface Counted {
  outcome: 'admitted' | 'rate_limited';
  keyId: number;
  workspaceId: string;
  allowance: Allowance;
}

export interface Refused {
  outcome: 'invalid_key' | 'plan_required';
  keyId: number | null;
  workspaceId: string | null;
}

/**
 * Derives the admission of each request of a batch. The requests of one workspace were counted together, with all their
 * keys; each takes its place in that count in the order of arrival.
 * @returns a function to be called once per request, in that order, with the index of its key in `uses`
 */
export function admissionsOf(
  uses: readonly KeyUse[],
  standings: readonly KeyStanding[],
): (use: number) => Admission {
  const tallies = talliesOf(uses, standings);
  return (use) => {
    const standing = standings[use] ?? null;
    if (standing === null) return UNKNOWN;
    const { keyId, workspaceId } = standing;
    if (standing.standing === 'revoked') return { outcome: 'invalid_key', keyId, workspaceId };
    if (standing.standing === 'plan_required') return { outcome: 'plan_required', keyId, workspaceId };
    const tally = tallies[use]!;
    tally.taken += 1;
    return countedAt(tally.taken, standing);
  };
}

/**
 * How many requests in a workspace's count come before the next one of the batch; all keys of the workspace share it.
 */
interface Tally {
  taken: number;
}

/** The tally of each key's workspace; null for a key whose requests were not counted. */
function talliesOf(uses: readonly KeyUse[], standings: readonly KeyStanding[]): (Tally | null)[] {
  const ofWorkspace = new Map<string, Tally>();
  return standings.map((standing, index) => {
    if (standing?.standing !== 'counted') return null;
    const { workspaceId, used } = standing;
    let tally = ofWorkspace.get(workspaceId);
    if (tally === undefined) ofWorkspace.set(workspaceId, (tally = { taken: used }));
    tally.taken -= uses[index]!.requests;
    return tally;
  });
}

const UNKNOWN: Refused = { outcome: 'invalid_key', keyId: null, workspaceId: null };

function countedAt(place: number, standing: CountedStanding): Counted {
  const { keyId, workspaceId, limit, minuteEnds, secondsLeft } = standing;
  return {
    outcome: place <= limit ? 'admitted' : 'rate_limited',
    keyId,
    workspaceId,
    allowance: { limit, remaining: Math.max(0, limit - place), reset: minuteEnds, retryAfter: secondsLeft },
  };
}
