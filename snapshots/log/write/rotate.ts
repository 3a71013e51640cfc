import type { Signer } from '../../signing.ts';
import { commitToLog } from './commit.ts';
import type { CommitParts } from './commit.ts';
import { withCommitted } from './committed.ts';
import type { StoredCommitted } from './committed.ts';
import { shownBy } from './shown.ts';

/**
 * Changes the key: a commit without entries of workspaces, signed with both.
 * @throws Failure if nothing may be committed, or the next key has signed more than the lake remembers.
 */
export async function rotateLog(parts: CommitParts, nextSigner: Signer): Promise<StoredCommitted | null> {
  // In a lake that is older than a rotation, the old key would replace what the next one signed.
  await withCommitted(parts, async (committed) => {
    if (committed !== null) await shownBy({ ...parts, signer: nextSigner }, committed);
  });
  return await commitToLog(parts, () => Promise.resolve({ drafts: [], nextSigner }));
}
