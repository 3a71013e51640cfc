import { sha256 } from '../../../lib/hash.ts';

export function workspaceOf(number: number): string {
  return `0b5ef0a4-3a6e-4f0f-9c57-${String(number).padStart(12, '0')}`;
}

/** The id of a workspace's snapshot as of a week. */
export function snapshotOf(week: number): string {
  const asOf = new Date(Date.UTC(2026, 0, 5, 6) + week * 7 * 86_400_000).toISOString();
  return `${asOf.replaceAll(/[-:]/g, '')}-${sha256(`week ${week}`).slice(0, 16)}`;
}
