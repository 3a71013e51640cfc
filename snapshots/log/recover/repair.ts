import { Failure } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { Entry } from '../../../lib/store/store.ts';
import { headsKey, historyKey, inputsKey, manifestKey } from '../../layout.ts';
import { decodeManifest } from '../../manifest.ts';
import { encodedHistories, foldOf } from '../fold.ts';
import type { Fold } from '../fold.ts';
import { encodeHeads, findPublication, mayBeGone } from '../history.ts';
import { readArchive, readContents } from '../write/archive.ts';
import type { Contents } from '../write/archive.ts';
import { withCommitted } from '../write/committed.ts';
import type { Committed } from '../write/committed.ts';
import { refuseOtherKey, showCheckpoint, shownBy } from '../write/shown.ts';
import type { LogParts } from '../write/shown.ts';
import { emptyLogEdge, growLog } from '../write/grow.ts';
import { writeExactly } from '../write/create-exactly.ts';
import type { Written } from '../write/create-exactly.ts';
import { repairStamps } from './stamps.ts';
import { deleteAlteredSuperseded } from './superseded.ts';

/**
 * Writes to the store again whatever of log, heads, histories, inputs and manifests is missing or altered, from what the
 * lake remembers. Documents are computed again by "rebuild --repair".
 * @throws Failure if another key signs the log, or the store's is signed and is not a part of the one that the lake remembers.
 */
export async function repairLog(parts: LogParts): Promise<{ size: number; written: Written[] }> {
  const { lake, origin } = parts;
  const written: Written[] = [];
  return await withCommitted(parts, async (committed) => {
    if (committed === null)
      throw new Failure(
        `${lake.url} remembers no log ${origin}: "audit log complete --from-store" reads the store's`,
      );
    await repairTo(parts, committed, written);
    return { size: committed.checkpoint.size, written };
  });
}

async function repairTo(parts: LogParts, committed: Committed, written: Written[]): Promise<void> {
  const { store, lake } = parts;
  refuseOtherKey(committed, parts.signer);
  const shown = await shownBy(parts, committed);
  const commits = await readArchive(lake, committed.archive);
  const entries = commits.flatMap((commit) => commit.entries);
  const fold = foldOf(entries);
  for (const commit of commits)
    written.push(...(await writeExactly(store, contentsOf(fold, await readContents(lake, commit)))));
  const objects = logObjects(fold, entries);
  written.push(...(await writeExactly(store, objects)));
  for (const key of await deleteAlteredSuperseded(store, objects)) written.push({ key, was: 'superseded' });
  written.push(...(await repairStamps(store, lake, committed)));
  if (!shown.isWhole && !(await showCheckpoint(store, committed.checkpoint, shown)))
    throw new Failure('the log was changed by another commit meanwhile; try again');
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
function contentsOf({ histories }: Fold, { manifests, inputs }: Contents): Entry[] {
  return [...manifests].flatMap(([hash, bytes]) => {
    const { workspaceId, snapshotId, inputs: named } = decodeManifest(bytes, `manifest ${hash}`);
    const history = histories.get(workspaceId);
    const reason = history && findPublication(history, snapshotId)?.withdrawn?.reason;
    if (mayBeGone(reason)) return [];
    const list = inputs.get(named);
    return [
      { key: manifestKey(workspaceId, snapshotId, hash), bytes },
      ...(list === undefined ? [] : [{ key: inputsKey(named), bytes: list }]),
    ];
  });
}
