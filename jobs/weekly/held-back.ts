import type { Clock } from '../../lib/clock.ts';
import { explain, isUnreachable } from '../../lib/failure.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { asOf } from '../../snapshots/log/history.ts';
import type { Publication } from '../../snapshots/log/history.ts';
import { fallsShort, MAX_AGE_DAYS } from './checks/completeness.ts';
import type { WorkspaceCompleteness } from './checks/completeness.ts';
import type { Unpublished } from './report/outcome.ts';

export interface HoldBackRules {
  /** Keep snapshots with a later as-of time: a run that catches up on a missed week must not replace them. */
  keepNewer?: boolean | undefined;
  /** In percent: a workspace is published only if at least this much of its week was delivered. */
  requireComplete?: number | undefined;
  /** Publish workspaces that lose more than half of their brands, and retire those that are no longer tracked. */
  allowShrink?: boolean | undefined;
}

/** A clock that is ahead by less does no harm: the next run is due later than that. */
const TOLERATED_MS = 60_000;

/**
 * Why a workspace keeps the snapshot that is current; null if the new one may replace it.
 * @param snapshot the new one, with the number of its brands
 * @param rules of the run, and its as-of instant
 */
export function objectionTo(
  snapshot: { workspaceId: string; brands: number },
  current: Publication | null,
  completeness: WorkspaceCompleteness | undefined,
  rules: HoldBackRules & { asOf: Micros },
  clock: Clock,
): Unpublished | null {
  const { workspaceId, brands } = snapshot;
  const { keepNewer, requireComplete, allowShrink } = rules;
  const because = (reason: Unpublished['reason'], message: string) => ({ workspaceId, reason, message });
  if (keepNewer === true && current !== null && isNewerThan(current, rules.asOf)) {
    const instant = asOf(current);
    // It stays, but one from the future is a fault.
    return Date.parse(instant) <= clock.now() + TOLERATED_MS
      ? because('newer', `its snapshot is as of ${instant}`)
      : because(
          'future',
          `its snapshot is as of ${instant}, which is in the future: it was published by a clock that was ahead; set the clock, then "weekly" without --due replaces it`,
        );
  }
  if (
    requireComplete !== undefined &&
    completeness !== undefined &&
    fallsShort(completeness, requireComplete)
  )
    return completeness.isStale
      ? because('stale', `nothing newer than ${MAX_AGE_DAYS} days has been delivered for it`)
      : because('incomplete', incompleteText(completeness, requireComplete));
  const before = current?.brands ?? 0;
  if (allowShrink === true || 2 * brands >= before) return null;
  return because(
    'shrunk',
    `only ${brands} of its ${before} brands would be left; --allow-shrink publishes it`,
  );
}

function incompleteText({ expected, delivered }: WorkspaceCompleteness, required: number): string {
  const found = delivered === 0 ? `none of its ${expected}` : `${delivered} of its ${expected}`;
  return `less than ${required} % of its week has been delivered: ${found} prompts on engines`;
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
