import { Failure, orNull } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { CHECKPOINT_KEY, workspacePrefix } from '../../layout.ts';
import { hasAnything } from '../../read.ts';
import type { Signer } from '../../signing.ts';
import { parseCheckpoint } from '../notes/checkpoint.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { formatNote } from '../notes/note.ts';
import { isSignedByLog } from '../read.ts';
import { rootOfEdge } from '../tree/edge.ts';
import { foldOf } from '../fold.ts';
import { entriesIn, readArchive } from './archive.ts';
import type { ArchiveLink, Committed } from './committed.ts';
import { growLog } from './grow.ts';

/** What belongs together: a store and the lake that remembers its log, the log's name and the key that signs it. */
export interface LogParts {
  store: ObjectStore;
  lake: ObjectStore;
  origin: string;
  signer: Signer;
  /** The key that signed the log until now is gone, and the signer replaces it. */
  isOldKeyLost?: boolean;
}

/** How much of the committed log the store shows. */
interface Shown {
  /** The entries that the store's checkpoint proves; 0 also if it is missing or not signed by us. */
  size: number;
  /** True if the store shows all of it. */
  isWhole: boolean;
  version: string | null;
}

/** @returns false if the checkpoint is not of this version any more: it was replaced meanwhile */
export async function showCheckpoint(
  store: ObjectStore,
  { note }: Checkpoint,
  version: string | null,
): Promise<boolean> {
  return await store.swap(CHECKPOINT_KEY, Buffer.from(formatNote(note)), version);
}

export function otherLog(store: ObjectStore, shown: Checkpoint, origin: string): Failure {
  return new Failure(`${store.url} has the log ${shown.origin}, and LOG_ORIGIN is ${origin}`);
}

/** @throws Failure if another key signs the log. */
export function refuseOtherKey(
  { signer }: Committed,
  parts: Pick<LogParts, 'signer' | 'isOldKeyLost'>,
): void {
  const { fingerprint } = parts.signer;
  if (signer !== fingerprint && parts.isOldKeyLost !== true)
    throw new Failure(
      `the log is signed with the key ${signer}, and SIGNING_KEY_FILE has ${fingerprint}: set it to the key that signs; "audit rotate" changes that`,
    );
}

/**
 * @param mayReplace for a command that repairs: a log of another name, which the same key signed, is replaced if the
 * store has workspaces of this one
 * @throws Failure if the store shows a signed log that is not a part of the committed one.
 */
export async function shownBy(
  { store, lake, origin, signer, isOldKeyLost = false }: LogParts,
  committed: Committed,
  mayReplace = false,
): Promise<Shown> {
  const object = await store.get(CHECKPOINT_KEY);
  const nothing = { size: 0, isWhole: false, version: object?.version ?? null };
  // What is not a checkpoint counts as missing, and is replaced.
  const shown = object && orNull(() => parseCheckpoint(object.bytes, CHECKPOINT_KEY));
  if (shown === null) return nothing;
  if (shown.origin !== origin) {
    const isForeign = mayReplace || !isSignedByLog(shown.note, shown.origin, [signer.publicKey]);
    if (!(isForeign && (await isOurs(store, lake, committed)))) throw otherLog(store, shown, origin);
    return nothing;
  }
  const { note, size } = committed.checkpoint;
  if (shown.note.text === note.text) {
    // Only the log's keys may sign under its name; the others are of witnesses.
    const own = shown.note.signatures.filter(({ keyName }) => keyName === origin);
    const isWhole = formatNote({ ...note, signatures: own }) === formatNote(note);
    return { ...nothing, size, isWhole };
  }
  if (shown.size < size && (await rootAt(lake, committed.archive, shown.size)).equals(shown.root))
    return { ...nothing, size: shown.size };
  // Without the old key its signature cannot be verified.
  if (!isOldKeyLost && !isSignedByLog(shown.note, origin, [signer.publicKey])) return nothing;
  throw new Failure(
    `${store.url}/${CHECKPOINT_KEY} is signed with our key and is not part of the log that ${lake.url} remembers (${shown.size} entries, and ${size}): is the lake an older copy, does a second lake write to this store, or was the key stolen? (docs/auditing.md, Getting back to "Intact")`,
  );
}

/** The root of the first `size` entries of the committed log. */
async function rootAt(lake: ObjectStore, archive: ArchiveLink, size: number): Promise<Buffer> {
  const archived = await readArchive(lake, archive, size);
  const { edge } = archived;
  return rootOfEdge(growLog(edge, entriesIn(archived).slice(0, size - edge.size)).edge);
}

/** True if the store has a workspace of this log: then a checkpoint with a foreign name is an altered one. */
async function isOurs(store: ObjectStore, lake: ObjectStore, committed: Committed): Promise<boolean> {
  const entries = entriesIn(await readArchive(lake, committed.archive));
  for (const workspaceId of foldOf(entries).heads.keys())
    if (await hasAnything(store, workspacePrefix(workspaceId))) return true;
  return false;
}
