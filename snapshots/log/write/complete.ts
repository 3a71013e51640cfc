import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import { Failure } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { INPUTS, headsKey, historyKey, manifestKey } from '../../layout.ts';
import { decodeManifest } from '../../manifest.ts';
import { missingObjects } from '../../read.ts';
import { decodeEntry } from '../entries.ts';
import type { PublishedEntry, WithdrawalReason, WorkspaceEntry } from '../entries.ts';
import { mayBeGone, moveHead } from '../history.ts';
import { entriesIn, readArchive, readContents } from './archive.ts';
import type { Archive, ArchivedCommit, Contents } from './archive.ts';
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
    const archive = await readArchive(lake, committed.archive, Math.min(shown.size, size - 1));
    await refuseOlderCopy(parts, archive, shown.size, committed.heads);
    await writeExactly(store, growLog(archive.edge, entriesIn(archive)).objects);
    await showCheckpoint(store, committed.checkpoint, shown.version);
  }
}

/**
 * A commit that was killed had written all but the log itself before. If something is missing, the store is an older copy: a
 * log that names what is gone must not be shown by itself.
 */
async function refuseOlderCopy(
  { store, lake }: LogParts,
  { commits }: Archive,
  shownSize: number,
  headsSha256: string,
): Promise<void> {
  const heads = new Map<string, string>();
  const withdrawn = new Map<string, WithdrawalReason>();
  const published: { commit: ArchivedCommit; entries: PublishedEntry[] }[] = [];
  for (const commit of commits) {
    const decoded = commit.entries.map((bytes, at) => decodeEntry(bytes, commit.from + at));
    const missing = decoded.slice(Math.max(0, shownSize - commit.from));
    for (const entry of missing) {
      moveHead(heads, entry);
      if (entry.kind === 'withdrawn') withdrawn.set(nameOf(entry), entry.reason);
    }
    published.push({ commit, entries: missing.filter((entry) => entry.kind === 'published') });
  }
  const gone = new Set<string>(); // snapshots share inputs
  // One after the other: all manifests of a large store do not fit into memory.
  for (const { commit, entries } of published) {
    if (entries.length === 0) continue;
    const archived = await readContents(lake, commit);
    const found = await manyAtOnce(
      entries,
      async (entry) => await goneOf(store, entry, withdrawn.get(nameOf(entry)), archived),
    );
    for (const key of found.flat()) gone.add(key);
  }
  const named = [headsKey(headsSha256), ...[...heads].map(([id, hash]) => historyKey(id, hash))];
  await manyAtOnce(named, async (key) => void ((await store.get(key)) === null && gone.add(key)));
  if (gone.size === 0) return;
  throw new Failure(
    `${store.url} is an older copy: ${gone.size} objects that the log names are missing, the first is ${[...gone][0]}; nothing was published. Put the store back from a newer copy, or use "audit log complete", then "audit rebuild --repair"`,
  );
}

function nameOf({ workspaceId, snapshotId }: WorkspaceEntry): string {
  return `${workspaceId}/${snapshotId}`;
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
