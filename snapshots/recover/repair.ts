import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { Entry } from '../../lib/store/store.ts';
import {
  INPUTS,
  headsKey,
  historyKey,
  inputsKey,
  isNamedByHash,
  isStampKey,
  manifestKey,
} from '../layout.ts';
import { decodeManifest } from '../manifest.ts';
import { decodeEntry } from '../log/entries.ts';
import { encodedHistories, foldOf } from '../log/fold.ts';
import type { Fold } from '../log/fold.ts';
import { encodeHeads, findPublication, mayBeGone } from '../log/history.ts';
import { tileOfKey } from '../log/tree/tiles.ts';
import { entriesIn, readArchive, readContents } from '../log/write/archive.ts';
import type { ArchivedCommit, Contents } from '../log/write/archive.ts';
import { withCommitted } from '../log/write/committed.ts';
import type { Committed } from '../log/write/committed.ts';
import { refuseOtherKey, showCheckpoint, shownBy } from '../log/write/shown.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { emptyLogEdge, growLog } from '../log/write/grow.ts';
import { writeExactly } from '../log/write/create-exactly.ts';
import type { Written } from '../log/write/create-exactly.ts';
import { verifyStore } from '../verify/verify.ts';

/**
 * Writes to the store again whatever of log, heads, histories, inputs and manifests is missing or altered, from what the
 * lake remembers. Documents are computed again by "rebuild --repair".
 * @throws Failure if another key signs the log, or the store's is signed and is not a part of the one that the lake remembers.
 */
export async function repairLog(parts: CommitParts): Promise<{ size: number; written: Written[] }> {
  const { lake, origin } = parts;
  const written: Written[] = [];
  return await withCommitted(parts, async (committed) => {
    if (committed === null)
      throw new Failure(
        `${lake.url} remembers no log ${origin}: mount or restore the lake that it was published from. Only if that is lost, "audit log complete --from-store" reads the store's`,
      );
    await repairTo(parts, committed, written);
    return { size: committed.checkpoint.size, written };
  });
}

async function repairTo(parts: CommitParts, committed: Committed, written: Written[]): Promise<void> {
  const { store, lake } = parts;
  refuseOtherKey(committed, parts.signer);
  const shown = await shownBy(parts, committed, true);
  const archive = await readArchive(lake, committed.archive);
  const entries = entriesIn(archive);
  const fold = foldOf(entries);
  for (const commit of archive.commits)
    written.push(...(await writeExactly(store, contentsOf(fold, commit, await readContents(lake, commit)))));
  written.push(...(await writeExactly(store, logObjects(fold, entries))));
  if (!shown.isWhole && !(await showCheckpoint(store, committed.checkpoint, shown.version)))
    throw new Failure('the log was changed by another commit meanwhile; try again');
  written.push(...(await dropAlteredReplaced(parts)));
}

/**
 * Deletes what nobody needs and is altered, because nothing has its bytes: heads, histories and partial tiles that newer
 * ones replaced, and stamps.
 */
async function dropAlteredReplaced({ store, origin, signer, clock }: CommitParts): Promise<Written[]> {
  const identity = { origin, trust: signer.trust };
  const { problems } = await verifyStore(store, { identity, now: clock.now(), withoutDocuments: true });
  const altered = problems
    .filter(({ kind }) => kind === 'log_damaged' || kind === 'named_altered')
    .flatMap(({ objects }) => objects);
  return await manyAtOnce(altered.filter(mayBeReplaced), async (key) => {
    await store.delete(key);
    return { key, was: 'superseded' as const };
  });
}

/** True for the kinds of objects that newer ones replace, and for stamps. */
function mayBeReplaced(key: string): boolean {
  return tileOfKey(key) !== null || isStampKey(key) || (isNamedByHash(key) && !key.startsWith(INPUTS));
}

/** The tiles, the newest histories and the newest heads. */
function logObjects(fold: Fold, entries: readonly Buffer[]): Entry[] {
  const heads = encodeHeads(fold.heads);
  return [
    ...growLog(emptyLogEdge, entries).objects,
    ...encodedHistories(fold.histories).map(({ workspaceId, hash, bytes }) => ({
      key: historyKey(workspaceId, hash),
      bytes,
    })),
    { key: headsKey(sha256(heads)), bytes: heads },
  ];
}

/** The manifests of a commit that must be there, and the inputs that they name. */
function contentsOf({ histories }: Fold, { from, entries }: ArchivedCommit, contents: Contents): Entry[] {
  return entries.flatMap((entryBytes, at) => {
    const entry = decodeEntry(entryBytes, from + at);
    if (entry.kind !== 'published') return [];
    const { workspaceId, snapshotId, manifestSha256: hash } = entry;
    const { withdrawn } = findPublication(histories.get(workspaceId)!, snapshotId)!;
    const bytes = contents.get(hash);
    if (bytes === undefined || mayBeGone(withdrawn?.reason)) return [];
    const { inputs: named } = decodeManifest(bytes, `manifest ${hash}`);
    const list = contents.get(named);
    return [
      { key: manifestKey(workspaceId, snapshotId, hash), bytes },
      ...(list === undefined ? [] : [{ key: inputsKey(named), bytes: list }]),
    ];
  });
}
