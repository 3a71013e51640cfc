import type { Source } from '../lake/ledger.ts';

/** What the operator allows a tracking file to be (docs/ingest.md). */
export interface TrackingRules {
  /** Take the good records of a tracking file that has refused ones. */
  partialTracking?: boolean | undefined;
  /** Take a tracking file without a good record: it replaces all of its kind with nothing. */
  emptyTracking?: boolean | undefined;
}

export type NotTaken = 'refused' | 'empty';

/**
 * Why nothing of a file is taken; null where something is. A tracking file replaces everything of its kind, so one
 * with refused records, or with no record at all, would make customers' brands disappear.
 */
export function whyNotTaken(
  { kind, records, repeated, refused }: Pick<Source, 'kind' | 'records' | 'repeated' | 'refused'>,
  rules: TrackingRules,
): NotTaken | null {
  if (kind === 'runs') return refused > 0 && records + repeated === 0 ? 'refused' : null;
  if (refused > 0 && !rules.partialTracking) return 'refused';
  return records === 0 && !rules.emptyTracking ? 'empty' : null;
}
