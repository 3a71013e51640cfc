import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import { Failure } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { INPUTS, headsKey, historyKey, manifestKey } from '../../layout.ts';
import { decodeManifest } from '../../manifest.ts';
import { missingObjects } from '../../read.ts';
import { decodeEntry } from '../entries.ts';
import type { LogEntry, PublishedEntry, WithdrawalReason } from '../entries.ts';
import { mayBeGone, moveHead } from '../history.ts';
import { readArchive, readContents } from './archive.ts';
import type { ArchivedCommit, Contents } from './archive.ts';
import type { Committed } from './committed.ts';
import { writeExactly } from './create-exactly.ts';
import { growLog } from './grow.ts';
import { showCheckpoint, shownBy } from './shown.ts';
import type { LogParts } from './shown.ts';

/**
 * Writes to the store what was committed and is not there yet, because the commit was killed. Does nothing otherwise,
 * with one read.
 * @returns the version of the store's checkpoint, which shows all of it
 * @throws Failure if the store does not belong to this lake, or is an older copy: then objects are missing.
 */
export async function completeLog(parts: LogParts, committed: Committed): Promise<string | null> {
  const { store, lake } = parts;
  for (;;) {
    const shown = await shownBy(parts, committed);
    if (shown.isWhole) return shown.version;
    const { size } = committed.checkpoint;
    const commits = await readArchive(lake, committed.archive, Math.min(shown.size, size - 1));
    const all = commits.flatMap((commit) => commit.entries);
    const { from, edge } = commits[0]!;
    const entries = all.map((bytes, index) => decodeEntry(bytes, from + index));
    const missing = entries.slice(Math.max(0, shown.size - from));
    await refuseOlderCopy(parts, commits, missing, committed.heads);
    await writeExactly(store, growLog(edge, all).objects);
    await showCheckpoint(store, committed.checkpoint, shown.version);
  }
}

/**
 * A commit that was killed had written all but the log itself before. If something is missing, the store is an older copy: a
 * log that names what is gone must not be shown by itself.
 */
async function refuseOlderCopy(
  { store, lake }: LogParts,
  commits: readonly ArchivedCommit[],
  entries: readonly LogEntry[],
  headsSha256: string,
): Promise<void> {
  const archived = new Map<string, Buffer>();
  for (const commit of commits)
    for (const [hash, bytes] of await readContents(lake, commit)) archived.set(hash, bytes);
  const heads = new Map<string, string>();
  const withdrawn = new Map<string, WithdrawalReason>();
  for (const entry of entries) {
    moveHead(heads, entry);
    if (entry.kind === 'withdrawn') withdrawn.set(`${entry.workspaceId}/${entry.snapshotId}`, entry.reason);
  }
  const ofSnapshots = await manyAtOnce(
    entries.filter((entry) => entry.kind === 'published'),
    async (entry) =>
      await goneOf(store, entry, withdrawn.get(`${entry.workspaceId}/${entry.snapshotId}`), archived),
  );
  const named = [headsKey(headsSha256), ...[...heads].map(([id, hash]) => historyKey(id, hash))];
  const ofLog = await manyAtOnce(named, async (key) => ((await store.get(key)) === null ? [key] : []));
  const gone = [...new Set([...ofSnapshots, ...ofLog].flat())]; // snapshots share inputs
  if (gone.length === 0) return;
  throw new Failure(
    `${store.url} is an older copy: ${gone.length} objects that the log names are missing, the first is ${gone[0]}; nothing was published. Put the store back from a newer copy, or use "audit log complete", then "audit rebuild --repair"`,
  );
}

/** The objects that must be there and are not. An adopted lake may have lost a manifest, which the store then has. */
async function goneOf(
  store: ObjectStore,
  { workspaceId, snapshotId, manifestSha256 }: PublishedEntry,
  withdrawn: WithdrawalReason | undefined,
  archived: Contents,
): Promise<string[]> {
  if (mayBeGone(withdrawn)) return [];
  const key = manifestKey(workspaceId, snapshotId, manifestSha256);
  const bytes = archived.get(manifestSha256) ?? (await store.get(key))?.bytes;
  if (bytes === undefined) return [key];
  const missing = await missingObjects(store, decodeManifest(bytes, key), manifestSha256);
  if (withdrawn !== 'pruned') return missing;
  return missing.filter((each) => each === key || each.startsWith(INPUTS));
}
