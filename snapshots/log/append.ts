import { Failure } from '../../lib/failure.ts';
import { sha256 } from '../../lib/hash.ts';
import type { Signer, Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { parseCheckpoint, signCheckpoint } from './notes/checkpoint.ts';
import { commit, encodeStaged, readCommitted, readStaged } from './committed.ts';
import type { Committed, LoggedHead, LoggedHeads } from './committed.ts';
import { encodeEntry } from './entries.ts';
import type { LogEntry } from './entries.ts';
import { emptyTree, growTree, writeTree } from './tree/grow.ts';
import type { TreeState } from './tree/grow.ts';
import { CHECKPOINT_KEY, keptCheckpointKey, stagedKey } from './layout.ts';
import { formatNote } from './notes/note.ts';
import { isSignedByLog, readCheckpoint } from './read.ts';

/** The published snapshots of a workspace, oldest first, by its chain of manifests; or why they cannot be read. */
export type WorkspaceHistory =
  { workspaceId: string; snapshots: readonly LogEntry[] } | { workspaceId: string; failure: string };

export interface AppendOptions {
  store: ObjectStore;
  /** The lake contains the log's last head, so that a program that can write only to the store cannot change it. */
  lake: ObjectStore;
  /** The log's name: LOG_ORIGIN. */
  origin: string;
  signer: Signer;
  /** Further keys that may have signed the last head: earlier signing keys. */
  trust: Trust;
  /** Called again for each attempt. */
  histories: () => AsyncIterable<WorkspaceHistory>;
}

export interface Refusal {
  workspaceId: string;
  reason: string;
}

export interface Appended {
  added: number;
  size: number;
  /** The root hash, hexadecimal. */
  root: string;
  /** Workspaces whose history contradicts the log or cannot be read: none of their snapshots were appended. */
  refused: Refusal[];
}

/**
 * Appends every published snapshot that the log does not contain. It writes staged entries, then the commit in the
 * lake, then tiles, then the public checkpoint. If it is killed at any point, the next append completes it. Of several
 * concurrent appends one commits, and the others start again after it.
 * @throws Failure if the lake, the store and the key do not belong together.
 */
export async function appendToLog(options: AppendOptions): Promise<Appended> {
  for (;;) {
    const committed = await readCommitted(options.lake);
    const appended = await unlessOvertaken(options, committed, () => appendAfter(options, committed));
    if (appended !== null) return appended;
  }
}

/** One attempt; null if another append committed meanwhile. */
async function appendAfter(options: AppendOptions, committed: Committed | null): Promise<Appended | null> {
  const { lake } = options;
  if (committed === null) await refuseForeignLog(options);
  else await publish(options, committed);
  const before = committed === null ? emptyTree : committed.checkpoint;
  const heads = committed === null ? new Map() : headsOf(await readStaged(lake, committed));
  const { entries, refused } = await collect(options.histories(), heads);
  const result = { added: entries.length, refused };
  if (entries.length === 0) return { ...result, size: before.size, root: before.root.toString('hex') };
  const next = await stage(options, before, entries, heads);
  if (!(await commit(lake, next, committed?.version ?? null))) {
    await forget(lake, next.staged);
    return null;
  }
  await unlessOvertaken(options, next, () => publish(options, next));
  if (committed !== null && committed.staged !== next.staged) await lake.delete(committed.staged);
  const { size, root } = next.checkpoint;
  return { ...result, size, root: root.toString('hex') };
}

/**
 * Runs `work`; null if it fails because another append committed meanwhile: then lake and store were read at different
 * times and do not match. The other append has published everything that was committed before.
 */
async function unlessOvertaken<T>(
  { lake }: AppendOptions,
  head: Next | null,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const now = await readCommitted(lake);
    if (!(error instanceof Failure) || now?.staged === head?.staged) throw error;
    return null;
  }
}

/** A log whose head is not in this lake is not continued: that would start a second history under the same name. */
async function refuseForeignLog({ store, lake }: AppendOptions): Promise<void> {
  if ((await readCheckpoint(store)) === null) return;
  throw new Failure(
    `${store.url} has a log, but ${lake.url} does not remember its head: is it another lake, or was it restored?` +
      ' "log adopt" continues the log on purpose',
  );
}

/**
 * Removes staged entries, unless they are those of the committed head: another append may have staged the same ones.
 */
async function forget(lake: ObjectStore, staged: string): Promise<void> {
  if ((await readCommitted(lake))?.staged !== staged) await lake.delete(staged);
}

async function collect(
  histories: AsyncIterable<WorkspaceHistory>,
  heads: LoggedHeads,
): Promise<{ entries: LogEntry[]; refused: Refusal[] }> {
  const entries: LogEntry[] = [];
  const refused: Refusal[] = [];
  for await (const history of histories) {
    const { workspaceId } = history;
    const reason =
      'failure' in history ? history.failure : contradiction(history.snapshots, heads.get(workspaceId));
    if (reason !== null) refused.push({ workspaceId, reason });
    else if (!('failure' in history))
      entries.push(...history.snapshots.slice(heads.get(workspaceId)?.sequence ?? 0));
  }
  return { entries: entries.toSorted(byTime), refused };
}

/** Why a history contradicts the log; null if it continues what the log contains. */
function contradiction(snapshots: readonly LogEntry[], head: LoggedHead | undefined): string | null {
  if (snapshots.some(({ sequence }, at) => sequence !== at + 1))
    return 'its snapshots are not numbered 1, 2, 3 …';
  if (head === undefined || snapshots[head.sequence - 1]?.manifestSha256 === head.manifestSha256) return null;
  return `the log has another manifest for its snapshot ${head.sequence} than the store: its history was rewritten`;
}

/** Sorts entries by time, so that their order does not depend on the order of reading. */
function byTime(a: LogEntry, b: LogEntry): number {
  return (
    compareText(a.publishedAt, b.publishedAt) ||
    compareText(a.workspaceId, b.workspaceId) ||
    a.sequence - b.sequence
  );
}

type Next = Omit<Committed, 'version'>;

async function stage(
  { store, lake, origin, signer }: AppendOptions,
  before: TreeState,
  entries: LogEntry[],
  logged: LoggedHeads,
): Promise<Next> {
  const { size, root } = await growTree(store, before, entries.map(encodeEntry));
  const note = formatNote(signCheckpoint({ origin, size, root }, signer));
  const heads = new Map(logged);
  for (const { workspaceId, sequence, manifestSha256 } of entries)
    heads.set(workspaceId, { sequence, manifestSha256 });
  const bytes = encodeStaged({
    format: 1,
    from: { size: before.size, root: before.root.toString('base64') },
    entries,
    heads: Object.fromEntries(heads),
  });
  const staged = stagedKey(size, sha256(bytes));
  if (!(await lake.create(staged, bytes)) && (await lake.get(staged))?.bytes.equals(bytes) !== true)
    throw new Failure(`${lake.url}/${staged} does not have the bytes that this append stages; remove it`);
  return {
    checkpoint: parseCheckpoint(Buffer.from(note), staged),
    note,
    staged,
    stagedSha256: sha256(bytes),
  };
}

function headsOf({ heads }: { heads: Record<string, LoggedHead> }): Map<string, LoggedHead> {
  return new Map(Object.entries(heads));
}

/** Publishes what was committed: tiles first, then the checkpoint. Does nothing if it is published already. */
async function publish(options: AppendOptions, next: Next): Promise<void> {
  const { store, lake, origin, signer, trust } = options;
  const { checkpoint, note } = next;
  if (checkpoint.origin !== origin)
    throw new Failure(`the log's origin is ${checkpoint.origin}, and LOG_ORIGIN is ${origin}`);
  if (!isSignedByLog(checkpoint.note, origin, [signer.publicKey, ...trust.values()]))
    throw new Failure("the log's last head is not signed with the signing key, nor with a trusted key");
  const shown = await readCheckpoint(store);
  // Kept only after the checkpoint is public: a kept head newer than the checkpoint means that the checkpoint was set
  // back.
  const keep = async () => await store.create(keptCheckpointKey(checkpoint.size), Buffer.from(note));
  if (shown !== null && shown.note.text === checkpoint.note.text) return void (await keep());
  if (shown !== null && shown.size > checkpoint.size)
    throw new Failure(
      `${store.url}/${CHECKPOINT_KEY} is newer than what ${lake.url} remembers: was the lake restored from an old copy?`,
    );
  const { from, entries } = await readStaged(lake, next);
  const before = { size: from.size, root: Buffer.from(from.root, 'base64') };
  const { objects } = await growTree(store, before, entries.map(encodeEntry));
  await writeTree(store, objects);
  if (await store.swap(CHECKPOINT_KEY, Buffer.from(note), shown?.version ?? null)) return void (await keep());
  await publish(options, next);
}
