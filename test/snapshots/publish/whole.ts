import { readHistory, readLog } from '../../../snapshots/log/follow.ts';
import { asOf, currentOf } from '../../../snapshots/log/history.ts';
import { workspaceId } from '../content.ts';
import { expectIntact } from '../log/intact.ts';
import type { TestLog } from '../publish.ts';

type Readable = Pick<TestLog, 'store' | 'origin' | 'trust'>;

/** The as-of time of the current snapshot, or null if there is none; everything that the log names is whole. */
export async function wholeSnapshot(log: Readable): Promise<string | null> {
  await expectIntact(log);
  const view = await readLog(log.store, log);
  const history = view === null ? null : await readHistory(log.store, view, workspaceId);
  const current = history === null ? null : currentOf(history);
  return current === null ? null : asOf(current);
}

/** The as-of times of all that was published, oldest first; all of it is whole. */
export async function wholeHistory(log: Readable): Promise<string[]> {
  await expectIntact(log);
  const history = await readHistory(log.store, (await readLog(log.store, log))!, workspaceId);
  return history!.publications.map(asOf);
}
