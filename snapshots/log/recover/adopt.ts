import { manyAtOnce } from '../../../lib/many-at-once.ts';
import { Failure } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { CHECKPOINT_KEY, inputsKey, lakeHeadsKey, lakeHistoryKey } from '../../layout.ts';
import { decodeManifest } from '../../manifest.ts';
import { readManifestBytes } from '../../read.ts';
import { decodeEntry, encodeEntry } from '../entries.ts';
import { emptyFold, encodedHistories, foldEntry } from '../fold.ts';
import type { Fold } from '../fold.ts';
import { mustContinue } from '../follow.ts';
import { encodeHeads, findPublication, mayBeGone } from '../history.ts';
import { signedHead } from '../notes/checkpoint.ts';
import type { Checkpoint, TreeHead } from '../notes/checkpoint.ts';
import { isSignedByLog, readCheckpoint, readEntries, refuseUnlessSigned, tileReader } from '../read.ts';
import { rootOfEdge } from '../tree/edge.ts';
import { readArchive, readContents, writeArchive } from '../write/archive.ts';
import type { Contents } from '../write/archive.ts';
import type { CommitParts } from '../write/commit.ts';
import type { Signer } from '../../signing.ts';
import { damagedVersion, readCommitted, swapCommitted, withCommitted } from '../write/committed.ts';
import type { ArchiveLink, Committed, StoredCommitted } from '../write/committed.ts';
import { refuseWhileDeleting } from '../write/deleting.ts';
import { writeExactly } from '../write/create-exactly.ts';
import { emptyLogEdge, growLog } from '../write/grow.ts';
import { repairLog } from './repair.ts';

/** Entries in one part of an archive that is written again. */
const PART = 1000;

/**
 * Lets the lake remember the log of the store, after the lake was lost or restored from an older copy. Reads and verifies
 * every entry.
 * @param kept checkpoints that the log must continue
 * @returns the number of entries, and how many manifests the store has lost
 * @throws Failure if the store's log is damaged, not signed with our key, or does not continue what is known.
 */
export async function adoptLog(
  parts: CommitParts,
  kept: readonly { head: TreeHead; name: string }[],
): Promise<{ size: number; root: string; lostManifests: number }> {
  const damaged = await damagedVersion(parts.lake, parts.origin);
  if (damaged !== null) return await adoptAfter(parts, null, kept, damaged);
  return await withCommitted(parts, (before) => adoptAfter(parts, before, kept, before?.version ?? null));
}

async function adoptAfter(
  parts: CommitParts,
  before: StoredCommitted | null,
  kept: Parameters<typeof adoptLog>[1],
  version: string | null,
): ReturnType<typeof adoptLog> {
  const { store, lake, origin, signer, clock } = parts;
  if (before !== null) refuseWhileDeleting(before, clock);
  const checkpoint = await readCheckpoint(store);
  const name = `${store.url}/${CHECKPOINT_KEY}`;
  if (checkpoint === null) throw new Failure(`${name} is missing: there is no log to read`);
  if (checkpoint.origin !== origin)
    throw new Failure(`${name} is of the log ${checkpoint.origin}, and LOG_ORIGIN is ${origin}`);
  refuseUnlessSigned(checkpoint, signer.trust, name);
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
  const entries: Buffer[] = [];
  for await (const { bytes } of readEntries(store, checkpoint.size)) entries.push(bytes);
  const { size } = checkpoint;
  if (!rootOfEdge(growLog(emptyLogEdge, entries).edge).equals(checkpoint.root))
    throw new Failure(`the entries in ${store.url} do not lead to ${CHECKPOINT_KEY}: the log was altered`);
  let lostManifests = 0;
  const contents = storedContents(store, () => lostManifests++);
  await remember(parts, entries, contents, { deletions: before?.deletions ?? 0, version });
  return { size, root: checkpoint.root.toString('hex'), lostManifests };
}

/** True if this key made the last of the log's own signatures: a rotation has two, and the old key signs no more. */
function signsNext({ note, origin }: Checkpoint, { publicKey }: Signer): boolean {
  const last = note.signatures.findLast(({ keyName }) => keyName === origin);
  return last !== undefined && isSignedByLog({ ...note, signatures: [last] }, origin, [publicKey]);
}

/** Reads the manifests and inputs that entries name from the store; those that are gone are left out. */
function storedContents(store: ObjectStore, onLost: () => void) {
  return async (fold: Fold, from: number, part: readonly Buffer[]): Promise<Contents> => {
    const manifests = new Map<string, Buffer>();
    const inputs = new Map<string, Buffer>();
    await manyAtOnce(
      part.map((bytes, at) => decodeEntry(bytes, from + at)),
      async (entry) => {
        if (entry.kind !== 'published') return;
        const { workspaceId, snapshotId, manifestSha256 } = entry;
        const withdrawn = findPublication(fold.histories.get(workspaceId)!, snapshotId)?.withdrawn?.reason;
        if (mayBeGone(withdrawn)) return;
        const bytes = await readManifestBytes(store, workspaceId, entry).catch(() => null);
        if (bytes === null) {
          onLost();
          return;
        }
        manifests.set(manifestSha256, bytes);
        const { inputs: named } = decodeManifest(bytes, snapshotId);
        const list = await store.get(inputsKey(named));
        if (list !== null && sha256(list.bytes) === named) inputs.set(named, list.bytes);
      },
    );
    return { manifests, inputs };
  };
}

/** Writes archive, histories, heads and, last, what is committed. @throws Failure if another commit was faster. */
async function remember(
  parts: CommitParts,
  entries: readonly Buffer[],
  contentsOf: (fold: Fold, from: number, part: readonly Buffer[]) => Promise<Contents>,
  before: { deletions: number; version: string | null },
): Promise<void> {
  const { lake, origin, signer } = parts;
  const fold = emptyFold();
  for (const [index, bytes] of entries.entries()) foldEntry(fold, decodeEntry(bytes, index), index);
  let previous: ArchiveLink | null = null;
  let edge = emptyLogEdge;
  for (let from = 0; from < entries.length; from += PART) {
    const part = entries.slice(from, from + PART);
    const commit = { from, edge, entries: part, previous };
    previous = await writeArchive(lake, origin, commit, await contentsOf(fold, from, part));
    edge = growLog(edge, part).edge;
  }
  if (previous === null) throw new Failure(`the log ${origin} has no entries`);
  const heads = encodeHeads(fold.heads);
  await writeExactly(lake, [
    ...encodedHistories(fold).map(({ hash, bytes }) => ({ key: lakeHistoryKey(origin, hash), bytes })),
    { key: lakeHeadsKey(origin, sha256(heads)), bytes: heads },
  ]);
  const committed: Committed = {
    checkpoint: signedHead({ origin, size: edge.size, root: rootOfEdge(edge) }, [signer]),
    edge,
    at: fold.at,
    heads: sha256(heads),
    archive: previous,
    signer: signer.fingerprint,
    // A publisher that began before looks again whether its objects are there.
    deletions: before.deletions + 1,
    deletingSince: null,
    continues: continuedBy(entries[0]!),
  };
  if (!(await swapCommitted(lake, committed, before.version)))
    throw new Failure(`${lake.url} was changed by another commit meanwhile; try again`);
}

function continuedBy(first: Buffer): Committed['continues'] {
  const entry = decodeEntry(first, 0);
  if (entry.kind !== 'continues') return null;
  const { origin, size, root } = entry;
  return { origin, size, root };
}

/**
 * Begins the log again under another name: first an entry that names the old log, then the old entries, unchanged. For a
 * log of which readers have accepted a branch that is not ours, or a later state that is lost.
 * @param parts with the new name; the key that signs the new log
 * @throws Failure if the lake remembers no log of the old name, or one of the new name.
 */
export async function restartLog(parts: CommitParts, oldOrigin: string): Promise<{ size: number }> {
  const { lake, origin, clock } = parts;
  const old = await readCommitted(lake, oldOrigin);
  if (old === null) throw new Failure(`${lake.url} remembers no log ${oldOrigin}`);
  refuseWhileDeleting(old, clock);
  if ((await readCommitted(lake, origin)) === null) {
    const { size, root } = old.checkpoint;
    const at = new Date(clock.now()).toISOString();
    const continued = { origin: oldOrigin, size, root: root.toString('base64') };
    const first = encodeEntry({ kind: 'continues', at, ...continued });
    const commits = await readArchive(lake, old.archive);
    // A log that was itself restarted begins with its own `continues`, which the new one replaces.
    const entries = commits
      .flatMap((commit) => commit.entries)
      .filter((bytes, index) => index > 0 || decodeEntry(bytes, 0).kind !== 'continues');
    const all: Contents = { manifests: new Map(), inputs: new Map() };
    for (const commit of commits) {
      const { manifests, inputs } = await readContents(lake, commit);
      for (const [hash, bytes] of manifests) (all.manifests as Map<string, Buffer>).set(hash, bytes);
      for (const [hash, bytes] of inputs) (all.inputs as Map<string, Buffer>).set(hash, bytes);
    }
    const before = { deletions: 0, version: null };
    await remember(parts, [first, ...entries], archivedContents(all), before);
  }
  return await repairLog(parts);
}

/** The part of all contents that some entries name. */
function archivedContents({ manifests, inputs }: Contents) {
  return (_: Fold, from: number, part: readonly Buffer[]): Promise<Contents> => {
    const some = { manifests: new Map<string, Buffer>(), inputs: new Map<string, Buffer>() };
    for (const [at, bytes] of part.entries()) {
      const entry = decodeEntry(bytes, from + at);
      const manifest = entry.kind === 'published' ? manifests.get(entry.manifestSha256) : undefined;
      if (entry.kind !== 'published' || manifest === undefined) continue;
      some.manifests.set(entry.manifestSha256, manifest);
      const { inputs: named } = decodeManifest(manifest, entry.snapshotId);
      const list = inputs.get(named);
      if (list !== undefined) some.inputs.set(named, list);
    }
    return Promise.resolve(some);
  };
}
