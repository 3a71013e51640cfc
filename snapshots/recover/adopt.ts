import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { CHECKPOINT_KEY } from '../layout.ts';
import { foldOf } from '../log/fold.ts';
import type { Fold } from '../log/fold.ts';
import { mustContinue, refuseUnlessOwn } from '../log/follow.ts';
import { encodeHeads } from '../log/history.ts';
import { signedHead } from '../log/notes/checkpoint.ts';
import type { Checkpoint, TreeHead } from '../log/notes/checkpoint.ts';
import { isSignedByLog, readCheckpoint, readEntries, tileReader } from '../log/read.ts';
import { rootOfEdge } from '../log/tree/edge.ts';
import { writeArchive } from '../log/write/archive.ts';
import type { CommitParts } from '../log/write/commit.ts';
import type { Signer } from '../signing.ts';
import { damagedVersion, swapCommitted, withCommitted } from '../log/write/committed.ts';
import type { ArchiveLink, Committed, StoredCommitted } from '../log/write/committed.ts';
import { emptyLogEdge, growLog } from '../log/write/grow.ts';

/** Entries in one part of an archive that is written again. */
const PART = 1000;

/**
 * Lets the lake remember the log of the store, after the lake was lost or restored from an older copy. Reads and verifies
 * every entry.
 * @param kept checkpoints that the log must continue
 * @param judge called with what the log says; if it throws, the lake stays as it is
 * @throws Failure if the store's log is damaged, not signed with our key, or does not continue what is known.
 */
export async function adoptLog(
  parts: CommitParts,
  kept: readonly { head: TreeHead; name: string }[],
  judge?: (fold: Fold) => Promise<void>,
): Promise<{ size: number; root: string }> {
  const damaged = await damagedVersion(parts.lake, parts.origin);
  if (damaged !== null) return await adoptAfter(parts, null, { kept, judge }, damaged);
  return await withCommitted(parts, (before) =>
    adoptAfter(parts, before, { kept, judge }, before?.version ?? null),
  );
}

async function adoptAfter(
  parts: CommitParts,
  before: StoredCommitted | null,
  { kept, judge }: { kept: Parameters<typeof adoptLog>[1]; judge: Parameters<typeof adoptLog>[2] },
  version: string | null,
): ReturnType<typeof adoptLog> {
  const { store, lake, origin, signer } = parts;
  const checkpoint = await readCheckpoint(store);
  const name = `${store.url}/${CHECKPOINT_KEY}`;
  if (checkpoint === null) throw new Failure(`${name} is missing: there is no log to read`);
  refuseUnlessOwn(store, checkpoint, { origin, trust: signer.trust });
  if (!signsNext(checkpoint, signer))
    throw new Failure(
      `${name} says that another key signs now: SIGNING_KEY_FILE has one that was rotated away`,
    );
  if (before !== null && before.checkpoint.size > checkpoint.size)
    throw new Failure(
      `${lake.url} remembers ${before.checkpoint.size} entries, and ${name} has ${checkpoint.size}: "audit log complete" without --from-store writes the others`,
    );
  const known = before === null ? kept : [...kept, { head: before.checkpoint, name: lake.url }];
  for (const { head, name: keeper } of known)
    await mustContinue(head, checkpoint, tileReader(store), `${name}, compared with ${keeper},`);
  const { size } = checkpoint;
  const entries = await Array.fromAsync(readEntries(store, size), ({ bytes }) => bytes);
  if (!rootOfEdge(growLog(emptyLogEdge, entries).edge).equals(checkpoint.root))
    throw new Failure(`the entries in ${store.url} do not lead to ${CHECKPOINT_KEY}: the log was altered`);
  const fold = foldOf(entries);
  await judge?.(fold);
  await remember(parts, fold, entries, version);
  return { size, root: checkpoint.root.toString('hex') };
}

/** True if this key made the last of the log's own signatures: a rotation has two, and the old key signs no more. */
function signsNext({ note, origin }: Checkpoint, { publicKey }: Signer): boolean {
  const last = note.signatures.findLast(({ keyName }) => keyName === origin);
  return last !== undefined && isSignedByLog({ ...note, signatures: [last] }, origin, [publicKey]);
}

/** Writes the archive and, last, what is committed. @throws Failure if another commit was faster. */
async function remember(
  parts: CommitParts,
  fold: Fold,
  entries: readonly Buffer[],
  version: string | null,
): Promise<void> {
  const { lake, origin, signer } = parts;
  let previous: ArchiveLink | null = null;
  let edge = emptyLogEdge;
  for (let from = 0; from < entries.length; from += PART) {
    const part = entries.slice(from, from + PART);
    previous = await writeArchive(lake, origin, { edge, entries: part, previous });
    edge = growLog(edge, part).edge;
  }
  const committed: Committed = {
    checkpoint: signedHead({ origin, size: edge.size, root: rootOfEdge(edge) }, [signer]),
    edge,
    at: fold.at,
    heads: sha256(encodeHeads(fold.heads)),
    archive: previous!, // a log is never empty
    signer: signer.fingerprint,
  };
  if (!(await swapCommitted(lake, committed, version)))
    throw new Failure(`${lake.url} was changed by another commit meanwhile; try again`);
}
