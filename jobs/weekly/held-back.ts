import type { Clock } from '../../lib/clock.ts';
import { explain, isUnreachable } from '../../lib/failure.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { asOf } from '../../snapshots/log/history.ts';
import type { Publication } from '../../snapshots/log/history.ts';
import { fallsShort, MAX_AGE_DAYS } from './checks/completeness.ts';
import type { WorkspaceCompleteness } from './checks/completeness.ts';
import type { Unpublished } from './report/unpublished.ts';

export interface HoldBackRules {
  /** In percent: a workspace is published only if at least this much of its newest week was delivered. */
  requireComplete?: number | undefined;
  /** Publish workspaces that lose more than half of their brands, and retire those that are no longer tracked. */
  allowShrink?: boolean | undefined;
}

/**
 * Why a computed snapshot must not be published; null if it may.
 * @param brands of the new snapshot
 * @param current the snapshot in service
 */
export function holdBack(
  workspaceId: string,
  brands: number,
  current: Publication | null,
  completeness: WorkspaceCompleteness | undefined,
  { requireComplete, allowShrink }: HoldBackRules,
): Unpublished | null {
  if (
    requireComplete !== undefined &&
    completeness !== undefined &&
    fallsShort(completeness, requireComplete)
  ) {
    if (completeness.isStale) {
      const message = `nothing newer than ${MAX_AGE_DAYS} days has been delivered for it`;
      return { workspaceId, reason: 'stale', message };
    }
    const message = `less than ${requireComplete} % of its newest week has been delivered`;
    return { workspaceId, reason: 'incomplete', message };
  }
  const before = current?.brands ?? 0;
  if (allowShrink === true || 2 * brands >= before) return null;
  const message = `only ${brands} of its ${before} brands would be left; --allow-shrink publishes it`;
  return { workspaceId, reason: 'shrunk', message };
}

export function failedWorkspace(workspaceId: string, error: unknown): Unpublished {
  const away = isUnreachable(error) ? { isUnreachable: true as const } : {};
  return { workspaceId, reason: 'failed', message: explain(error), ...away };
}

/** True if a snapshot is as of later than an instant. */
export function isNewerThan(publication: Publication, instant: Micros): boolean {
  const published = parseInstant(asOf(publication));
  return published !== null && published > instant;
}

/** A clock that is ahead by less does no harm: the next run is due later than that. */
const TOLERATED_MS = 60_000;

/** A run that must not replace newer snapshots found one: it stays, but one from the future is a fault. */
export function judgeNewer(
  workspaceId: string,
  publication: Publication,
  clock: Clock,
): Unpublished | 'newer' {
  const instant = asOf(publication);
  if (Date.parse(instant) <= clock.now() + TOLERATED_MS) return 'newer';
  const message = `its snapshot is as of ${instant}, which is in the future: it was published by a clock that was ahead; set the clock, then "weekly" without --due replaces it`;
  return { workspaceId, reason: 'future', message };
}
