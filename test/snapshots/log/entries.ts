import { sha256 } from '../../../lib/hash.ts';
import { encodeEntry } from '../../../snapshots/log/entries.ts';
import type { LogEntry, WithdrawalReason } from '../../../snapshots/log/entries.ts';
import { afterUnhashed, emptyHistory, encodeHeads, encodeHistory } from '../../../snapshots/log/history.ts';
import type { History } from '../../../snapshots/log/history.ts';

export function workspaceOf(number: number): string {
  return `0b5ef0a4-3a6e-4f0f-9c57-${String(number).padStart(12, '0')}`;
}

/** The id of a workspace's snapshot as of a week. */
export function snapshotOf(week: number): string {
  const asOf = new Date(Date.UTC(2026, 0, 5, 6) + week * 7 * 86_400_000).toISOString();
  return `${asOf.replaceAll(/[-:]/g, '')}-${sha256(`week ${week}`).slice(0, 16)}`;
}

export type Step =
  | { workspace: number; publish: number }
  | { workspace: number; withdraw: number; reason: WithdrawalReason }
  | 'heads';

/**
 * Makes the entries of steps that keep the rules of the log: a model of the writer. The time of each is the hour of its
 * number.
 */
export function entriesOf(steps: readonly Step[]): LogEntry[] {
  const histories = new Map<string, History>();
  const heads = new Map<string, string>();
  return steps.map((step, index): LogEntry => {
    const at = new Date(Date.UTC(2026, 10, 16) + index * 3_600_000).toISOString();
    if (step === 'heads') return { kind: 'heads', at, heads: sha256(encodeHeads(heads)) };
    const workspaceId = workspaceOf(step.workspace);
    const before = histories.get(workspaceId) ?? emptyHistory(workspaceId);
    const entry = entryOf(step, before, at);
    const history = afterUnhashed(before, entry);
    histories.set(workspaceId, history);
    heads.set(workspaceId, sha256(encodeHistory(history)));
    return { ...entry, history: heads.get(workspaceId)! };
  });
}

function entryOf(step: Exclude<Step, 'heads'>, { publications, workspaceId }: History, at: string) {
  if ('withdraw' in step) {
    const { reason } = step;
    return { kind: 'withdrawn' as const, at, workspaceId, snapshotId: snapshotOf(step.withdraw), reason };
  }
  const described = { methodologyVersion: '1.0', brands: 1, documents: 2, bytes: 3 };
  const snapshotId = snapshotOf(step.publish);
  const sequence = publications.length + 1;
  const manifestSha256 = sha256(`${workspaceId} ${snapshotId}`);
  return { kind: 'published' as const, at, workspaceId, sequence, snapshotId, manifestSha256, ...described };
}

export function encodedEntries(steps: readonly Step[]): Buffer[] {
  return entriesOf(steps).map(encodeEntry);
}
