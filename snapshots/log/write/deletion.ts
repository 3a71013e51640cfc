import { Failure } from '../../../lib/failure.ts';
import { DELETION_MS, swapCommitted, withCommitted } from './committed.ts';
import { prepareCommit } from './commit.ts';
import type { CommitParts } from './commit.ts';

/**
 * Deletes objects that nothing names, while no publication can begin to name them: commits are refused meanwhile, and a
 * publication that wrote objects before looks at them again (publish/publisher.ts).
 * @param work may go on while `goesOn` is true; a deletion that was given up by others must stop. `size`: of the log
 * @throws Failure if nothing was ever committed, or another deletion is running.
 */
export async function whileDeleting(
  parts: CommitParts,
  work: (goesOn: () => boolean, size: number) => Promise<void>,
): Promise<void> {
  const { clock } = parts;
  const began = clock.now();
  const size = await raise(parts, new Date(began).toISOString());
  try {
    // Half of the time after which others no longer wait.
    await work(() => clock.now() - began < DELETION_MS / 2, size);
  } finally {
    await raise(parts, null);
  }
}

/** @returns the size of the log then */
async function raise(parts: CommitParts, deletingSince: string | null): Promise<number> {
  const { lake } = parts;
  const attempt = async () =>
    await withCommitted(parts, async (committed) => {
      if (committed === null) throw new Failure(`${lake.url} remembers no log: nothing was published yet`);
      if (deletingSince !== null) await prepareCommit(parts, committed);
      const { version, ...rest } = committed;
      const raised = { ...rest, deletions: rest.deletions + 1, deletingSince };
      return (await swapCommitted(lake, raised, version)) ? rest.checkpoint.size : null;
    });
  for (;;) {
    const size = await attempt();
    if (size !== null) return size;
  }
}
