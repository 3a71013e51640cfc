/** How black-box tests publish: by the weekly job, or documents of their own, which no job computed. */
import { signedHead } from '../../snapshots/log/notes/checkpoint.ts';
import type { WithdrawalReason } from '../../snapshots/log/entries.ts';
import { formatNote } from '../../snapshots/log/notes/note.ts';
import { commitToLog } from '../../snapshots/log/write/commit.ts';
import type { TestLog } from '../snapshots/publish.ts';

export type { Documents } from '../../lib/documents/schemas.ts';
export { acme, publishBrands } from '../gateway/snapshots.ts';
export { answersIn, documentsOf, publish, settingsOf } from '../jobs/jobs.ts';
export { keysOf, makeTestKeys, workspaceIds } from '../snapshots/history.ts';
export type { Keys } from '../snapshots/history.ts';
export { ORIGIN, publishHistory, publishWeek, testLog } from '../snapshots/publish.ts';
export type { TestLog } from '../snapshots/publish.ts';

/** Withdraws snapshots of a workspace in one commit; their documents stay in the store. */
export async function withdraw(
  log: TestLog,
  workspaceId: string,
  withdrawals: readonly { snapshotId: string; reason: WithdrawalReason }[],
): Promise<void> {
  const drafts = withdrawals.map((each) => ({ kind: 'withdrawn' as const, workspaceId, ...each }));
  await commitToLog(log, async () => ({ drafts }));
}

/** A checkpoint with the signature of a log over a head that is not its own. */
export function forgedCheckpoint({ origin, signer }: TestLog, size: number, root: Buffer): string {
  return formatNote(signedHead({ origin, size, root }, [signer]).note);
}
