import pMap from 'p-map';
import { Failure } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import {
  CHECKPOINT_KEY,
  LOG,
  headsKey,
  historyKey,
  lakeHeadsKey,
  lakeHistoryKey,
  oldLogPrefix,
} from '../../layout.ts';
import { decodeManifest } from '../../manifest.ts';
import { missingObjects, readNamed } from '../../read.ts';
import type { Signer } from '../../signing.ts';
import { decodeEntry } from '../entries.ts';
import type { LogEntry } from '../entries.ts';
import { moveHead } from '../history.ts';
import { parseCheckpoint } from '../notes/checkpoint.ts';
import type { Checkpoint } from '../notes/checkpoint.ts';
import { formatNote } from '../notes/note.ts';
import type { NoteSignature } from '../notes/note.ts';
import { isSignedByLog } from '../read.ts';
import { rootOfEdge } from '../tree/edge.ts';
import { readArchive, readContents } from './archive.ts';
import type { ArchivedCommit } from './archive.ts';
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
 * Writes to the store what was committed and is not there yet, because the commit was killed. Does nothing otherwise,
 * with one read.
 * @throws Failure if the store does not belong to this lake, or is an older copy: then documents are missing.
 */
export async function completeLog(parts: LogParts, committed: Committed): Promise<void> {
  const { store, lake } = parts;
  for (;;) {
    const shown = await shownBy(parts, committed);
    if (shown.isWhole) return;
    const { size } = committed.checkpoint;
    const commits = await readArchive(lake, committed.archive, Math.min(shown.size, size - 1));
    await refuseOlderCopy(store, lake, commits, shown.size);
    await copyNewest(parts, commits, shown.size);
    const { objects } = growLog(
      commits[0]!.edge,
      commits.flatMap(({ entries }) => entries),
    );
    await createExactly(store, objects);
    if (await showCheckpoint(store, committed.checkpoint, shown)) return;
  }
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
    if (isContinued(shown, committed)) await moveOldLog(store, shown.size);
    else throw new Failure(`${store.url} has the log ${shown.origin}, and LOG_ORIGIN is ${origin}`);
    return nothing;
  }
  const { note, size } = committed.checkpoint;
  if (shown.note.text === note.text) {
    const lines = new Set(note.signatures.map((line) => `${line.keyName}+${line.keyId}`));
    const cosignatures = shown.note.signatures.filter((line) => !lines.has(`${line.keyName}+${line.keyId}`));
    const isWhole = shown.note.signatures.length - cosignatures.length === note.signatures.length;
    return { ...nothing, size, isWhole, cosignatures };
  }
  if (shown.size < size && (await rootAt(lake, committed, shown.size)).equals(shown.root))
    return { ...nothing, size: shown.size };
  if (!isSignedByLog(shown.note, origin, [signer.publicKey])) return nothing;
  throw new Failure(
    `${store.url}/${CHECKPOINT_KEY} is signed with our key and is not part of the log that ${lake.url} remembers (${shown.size} entries, and ${size}): is the lake an older copy, does a second lake write to this store, or was the key stolen? (docs/auditing.md, Getting back to "Intact")`,
  );
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

/** The entries of the commits that the store does not show, with their index. */
function missingEntries(commits: readonly ArchivedCommit[], shown: number): LogEntry[] {
  return commits
    .flatMap(({ from, entries }) => entries.map((bytes, at) => ({ index: from + at, bytes })))
    .filter(({ index }) => index >= shown)
    .map(({ index, bytes }) => decodeEntry(bytes, index));
}

/**
 * A commit that was killed had written all documents before. If one is missing, the store is an older copy: a log that
 * names what is gone must not be shown by itself.
 */
async function refuseOlderCopy(
  store: ObjectStore,
  lake: ObjectStore,
  commits: readonly ArchivedCommit[],
  shown: number,
): Promise<void> {
  const entries = missingEntries(commits, shown);
  const withdrawn = new Set(entries.flatMap((each) => (each.kind === 'withdrawn' ? each.snapshotId : [])));
  const published = entries
    .filter((each) => each.kind === 'published')
    .filter(({ snapshotId }) => !withdrawn.has(snapshotId));
  const manifests = new Map<string, Buffer>();
  for (const commit of commits)
    for (const [hash, bytes] of (await readContents(lake, commit)).manifests) manifests.set(hash, bytes);
  const gone = (
    await pMap(
      published,
      async ({ snapshotId, manifestSha256 }) => {
        const manifest = decodeManifest(manifests.get(manifestSha256)!, `the manifest of ${snapshotId}`);
        return await missingObjects(store, manifest, manifestSha256);
      },
      { concurrency: READS_AT_ONCE },
    )
  ).flat();
  if (gone.length === 0) return;
  const [first] = gone;
  throw new Failure(
    `${store.url} is an older copy: ${gone.length} objects of snapshots that were published are missing, the first is ${first}; nothing was published. Put the store back from a newer copy, or use "audit log complete", then "audit rebuild --repair"`,
  );
}

const READS_AT_ONCE = 16;

/** Copies the newest histories and heads of the missing entries from the lake. */
async function copyNewest(
  { store, lake, origin }: LogParts,
  commits: readonly ArchivedCommit[],
  shown: number,
): Promise<void> {
  const heads = new Map<string, string>();
  const entries = missingEntries(commits, shown);
  for (const entry of entries) moveHead(heads, entry);
  const histories = [...heads].map(([workspaceId, hash]) => ({
    key: historyKey(workspaceId, hash),
    from: lakeHistoryKey(origin, hash),
    hash,
  }));
  const last = entries.findLast((entry) => entry.kind === 'heads');
  if (last !== undefined)
    histories.push({ key: headsKey(last.heads), from: lakeHeadsKey(origin, last.heads), hash: last.heads });
  const objects = await pMap(
    histories,
    async ({ key, from, hash }) => ({ key, bytes: await readNamed(lake, from, hash, 'the log') }),
    { concurrency: READS_AT_ONCE },
  );
  await createExactly(store, objects);
}

function isContinued(shown: Checkpoint, { continues }: Committed): boolean {
  return (
    continues?.origin === shown.origin &&
    continues.size === shown.size &&
    continues.root === shown.root.toString('base64')
  );
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
    { concurrency: READS_AT_ONCE },
  );
}
