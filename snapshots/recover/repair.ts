import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { Entry, ObjectStore } from '../../lib/store/store.ts';
import { CHECKPOINT_KEY, INPUTS, headsKey, historyKey, isNamedByHash } from '../layout.ts';
import { encodedHistories, foldOf } from '../log/fold.ts';
import type { Fold } from '../log/fold.ts';
import { encodeHeads } from '../log/history.ts';
import { tileOfKey } from '../log/tree/tiles.ts';
import { entriesIn, readArchive } from '../log/write/archive.ts';
import { withCommitted } from '../log/write/committed.ts';
import type { Committed } from '../log/write/committed.ts';
import { refuseOtherKey, showCheckpoint, shownBy } from '../log/write/shown.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { emptyLogEdge, growLog } from '../log/write/grow.ts';
import { writeExactly } from '../log/write/create-exactly.ts';
import type { Written } from '../log/write/create-exactly.ts';
import { verifyStore } from '../verify/verify.ts';

/**
 * Writes to the store again whatever of log, heads and histories is missing or altered, from what the lake remembers.
 * Manifests, inputs and documents come from a copy of the store ({@link healFrom}); documents also from "rebuild --repair".
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
  refuseOtherKey(committed, parts);
  let shown = await shownBy(parts, committed, true);
  const archive = await readArchive(lake, committed.archive);
  const entries = entriesIn(archive);
  const fold = foldOf(entries);
  written.push(...(await writeExactly(store, logObjects(fold, entries))));
  while (!shown.isWhole) {
    if (await showCheckpoint(store, committed.checkpoint, shown.version))
      written.push({ key: CHECKPOINT_KEY, was: shown.version === null ? 'missing' : 'altered' });
    shown = await shownBy(parts, committed, true);
  }
  written.push(...(await dropAlteredReplaced(parts)));
}

/**
 * Deletes what nobody needs and is altered, because nothing has its bytes: heads, histories and partial tiles that newer
 * ones replaced.
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

/** True for the kinds of objects that newer ones replace. */
function mayBeReplaced(key: string): boolean {
  return tileOfKey(key) !== null || (isNamedByHash(key) && !key.startsWith(INPUTS));
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

/**
 * Writes to the store again whatever verify names as missing or altered and a copy of the store has: manifests, inputs,
 * histories, heads and documents. The hash that is named decides, so the copy need not be trusted, nor be of one day.
 */
export async function healFrom(
  { store, origin, signer, clock }: CommitParts,
  copy: ObjectStore,
): Promise<Written[]> {
  await copy.check();
  const written: Written[] = [];
  // A manifest that comes back names documents that nothing named before.
  for (;;) {
    const { problems } = await verifyStore(store, {
      identity: { origin, trust: signer.trust },
      now: clock.now(),
    });
    const named = new Map(
      problems.flatMap(({ objects, sha256: hash }) =>
        hash === null ? [] : objects.map((key) => [key, hash]),
      ),
    );
    const healed = await manyAtOnce(named, async ([key, hash]) => {
      const bytes = (await copy.get(key))?.bytes;
      if (bytes === undefined || sha256(bytes) !== hash) return [];
      return await writeExactly(store, [{ key, bytes }]);
    });
    if (healed.flat().length === 0) return written;
    written.push(...healed.flat());
  }
}
