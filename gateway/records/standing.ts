import { allowanceOf } from '../../lib/plans.ts';
import type { KeyStanding } from './records.ts';

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
