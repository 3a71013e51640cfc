import pMap from 'p-map';
import { Failure } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { CHECKPOINT_KEY, LOG, oldLogPrefix } from '../../layout.ts';
import type { Signer } from '../../signing.ts';
import { parseCheckpoint } from '../notes/checkpoint.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { formatNote, formatSignature } from '../notes/note.ts';
import type { NoteSignature } from '../notes/note.ts';
import { isSignedByLog } from '../read.ts';
import { rootOfEdge } from '../tree/edge.ts';
import { readArchive } from './archive.ts';
import type { Committed } from './committed.ts';
import { createExactly } from './create-exactly.ts';
import { growLog } from './grow.ts';

/** What belongs together: a store and the lake that remembers its log, the log's name and the key that signs it. */
export interface LogParts {
  store: ObjectStore;
  lake: ObjectStore;
  origin: string;
  signer: Signer;
}

/** How much of the committed log the store shows. */
interface Shown {
  /** The entries that the store's checkpoint proves; 0 also if it is missing or not signed by us. */
  size: number;
  /** True if the store shows all of it. */
  isWhole: boolean;
  version: string | null;
  cosignatures: readonly NoteSignature[];
}

/**
 * Shows a commit whose objects were written just now, with one read; `completeLog` looks at every snapshot instead.
 * @returns false, and does nothing, if the store does not show the head before it
 */
export async function showNext(
  store: ObjectStore,
  next: Checkpoint,
  before: Checkpoint | null,
): Promise<boolean> {
  const object = await store.get(CHECKPOINT_KEY);
  const shown = object === null ? null : (checkpointOrNull(object.bytes)?.note.text ?? '');
  if (shown !== (before?.note.text ?? null)) return false;
  return await showCheckpoint(store, next, { size: 0, version: object?.version ?? null, cosignatures: [] });
}

/** @returns false if the checkpoint was replaced meanwhile */
export async function showCheckpoint(
  store: ObjectStore,
  { note, size }: Checkpoint,
  shown: Pick<Shown, 'version' | 'cosignatures'> & { size: number },
): Promise<boolean> {
  const kept = shown.size === size ? shown.cosignatures : [];
  const bytes = formatNote({ ...note, signatures: [...note.signatures, ...kept] });
  return await store.swap(CHECKPOINT_KEY, Buffer.from(bytes), shown.version);
}

export function otherLog(store: ObjectStore, shown: Checkpoint, origin: string): Failure {
  return new Failure(`${store.url} has the log ${shown.origin}, and LOG_ORIGIN is ${origin}`);
}

/** @throws Failure if another key signs the log. */
export function refuseOtherKey({ signer }: Committed, { fingerprint }: Signer): void {
  if (signer !== fingerprint)
    throw new Failure(
      `the log is signed with the key ${signer}, and SIGNING_KEY_FILE has ${fingerprint}: "audit rotate" changes the key`,
    );
}

/** @throws Failure if the store shows a signed log that is not a part of the committed one. */
export async function shownBy(
  { store, lake, origin, signer }: LogParts,
  committed: Committed,
): Promise<Shown> {
  const object = await store.get(CHECKPOINT_KEY);
  const nothing = { size: 0, isWhole: false, version: object?.version ?? null, cosignatures: [] };
  const shown = object === null ? null : checkpointOrNull(object.bytes);
  if (shown === null) return nothing;
  if (shown.origin !== origin) {
    // Whatever of its size the old name shows, a branch of a thief too: the new log says where it ended.
    if (committed.continues?.origin !== shown.origin) throw otherLog(store, shown, origin);
    await moveOldLog(store, shown.size);
    return nothing;
  }
  const { note, size } = committed.checkpoint;
  if (shown.note.text === note.text) {
    const [own, cosignatures] = splitSignatures(shown.note.signatures, origin);
    const isWhole = own.join('') === note.signatures.map(formatSignature).join('');
    return { ...nothing, size, isWhole, cosignatures };
  }
  if (shown.size < size && (await rootAt(lake, committed, shown.size)).equals(shown.root))
    return { ...nothing, size: shown.size };
  if (!isSignedByLog(shown.note, origin, [signer.publicKey])) return nothing;
  throw new Failure(
    `${store.url}/${CHECKPOINT_KEY} is signed with our key and is not part of the log that ${lake.url} remembers (${shown.size} entries, and ${size}): is the lake an older copy, does a second lake write to this store, or was the key stolen? (docs/auditing.md, Getting back to "Intact")`,
  );
}

/** The lines under the log's name, which only its keys may sign, and all others. */
function splitSignatures(
  signatures: readonly NoteSignature[],
  origin: string,
): [own: string[], cosignatures: NoteSignature[]] {
  const own = signatures.filter(({ keyName }) => keyName === origin);
  return [own.map(formatSignature), signatures.filter(({ keyName }) => keyName !== origin)];
}

/** Null if it is not a checkpoint: then it counts as missing, and is replaced. */
function checkpointOrNull(bytes: Buffer): Checkpoint | null {
  try {
    return parseCheckpoint(bytes, CHECKPOINT_KEY);
  } catch {
    return null;
  }
}

/** The root of the first `size` entries of the committed log. */
async function rootAt(lake: ObjectStore, { archive }: Committed, size: number): Promise<Buffer> {
  const commits = await readArchive(lake, archive, size);
  const { edge } = commits[0]!;
  const entries = commits.flatMap((each) => each.entries).slice(0, size - edge.size);
  return rootOfEdge(growLog(edge, entries).edge);
}

/** Moves the objects of a log that was restarted; the checkpoint stays until the new one replaces it. */
async function moveOldLog(store: ObjectStore, size: number): Promise<void> {
  const keys = (await Array.fromAsync(store.list(LOG))).map(({ key }) => key);
  await pMap(
    keys,
    async (key) => {
      const object = await store.get(key);
      if (object === null) return;
      await createExactly(store, [
        { key: `${oldLogPrefix(size)}${key.slice(LOG.length)}`, bytes: object.bytes },
      ]);
      if (key !== CHECKPOINT_KEY) await store.delete(key);
    },
    { concurrency: 16 },
  );
}
