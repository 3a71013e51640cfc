import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import { Failure } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { INPUTS, headsKey, historyKey, lakeHeadsKey, lakeHistoryKey, manifestKey } from '../../layout.ts';
import { decodeManifest } from '../../manifest.ts';
import { missingObjects, readNamed } from '../../read.ts';
import { decodeEntry } from '../entries.ts';
import type { LogEntry, PublishedEntry, WithdrawalReason, WithdrawnEntry } from '../entries.ts';
import { mayBeGone, moveHead } from '../history.ts';
import { readArchive, readContents } from './archive.ts';
import type { ArchivedCommit } from './archive.ts';
import type { Committed } from './committed.ts';
import { createExactly, writeExactly } from './create-exactly.ts';
import { growLog } from './grow.ts';
import { showCheckpoint, shownBy } from './shown.ts';
import type { LogParts } from './shown.ts';

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
    const entries = missingEntries(commits, shown.size);
    await refuseOlderCopy(parts, commits, entries);
    await copyNewest(parts, entries);
    const { objects } = growLog(
      commits[0]!.edge,
      commits.flatMap((commit) => commit.entries),
    );
    await writeExactly(store, objects);
    if (await showCheckpoint(store, committed.checkpoint, shown)) return;
  }
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
  { store, lake }: LogParts,
  commits: readonly ArchivedCommit[],
  entries: readonly LogEntry[],
): Promise<void> {
  const reasons = new Map(
    entries.flatMap((each) => (each.kind === 'withdrawn' ? [[nameOf(each), each.reason]] : [])),
  );
  const manifests = new Map<string, Buffer>();
  for (const commit of commits)
    for (const [hash, bytes] of (await readContents(lake, commit)).manifests) manifests.set(hash, bytes);
  const found = (
    await manyAtOnce(
      entries.filter((each) => each.kind === 'published'),
      async (each) =>
        await goneOf(store, each, manifests.get(each.manifestSha256), reasons.get(nameOf(each))),
    )
  ).flat();
  const gone = [...new Set(found)]; // snapshots share inputs
  if (gone.length === 0) return;
  const [first] = gone;
  throw new Failure(
    `${store.url} is an older copy: ${gone.length} objects of snapshots that were published are missing, the first is ${first}; nothing was published. Put the store back from a newer copy, or use "audit log complete", then "audit rebuild --repair"`,
  );
}

/** Workspaces with the same documents have the same snapshot ids. */
function nameOf({ workspaceId, snapshotId }: PublishedEntry | WithdrawnEntry): string {
  return `${workspaceId}/${snapshotId}`;
}

/** The objects that must be there and are not. An adopted lake may have lost a manifest, which the store then has. */
async function goneOf(
  store: ObjectStore,
  { workspaceId, snapshotId, manifestSha256 }: PublishedEntry,
  archived: Buffer | undefined,
  withdrawn: WithdrawalReason | undefined,
): Promise<string[]> {
  if (mayBeGone(withdrawn)) return [];
  const key = manifestKey(workspaceId, snapshotId, manifestSha256);
  const bytes = archived ?? (await store.get(key))?.bytes;
  if (bytes === undefined) return [key];
  const missing = await missingObjects(store, decodeManifest(bytes, key), manifestSha256);
  if (withdrawn !== 'pruned') return missing;
  return missing.filter((each) => each === key || each.startsWith(INPUTS));
}

/** Copies the newest histories and heads of the missing entries from the lake. */
async function copyNewest({ store, lake, origin }: LogParts, entries: readonly LogEntry[]): Promise<void> {
  const heads = new Map<string, string>();
  for (const entry of entries) moveHead(heads, entry);
  const histories = [...heads].map(([workspaceId, hash]) => ({
    key: historyKey(workspaceId, hash),
    from: lakeHistoryKey(origin, hash),
    hash,
  }));
  const last = entries.findLast((entry) => entry.kind === 'heads');
  if (last !== undefined)
    histories.push({ key: headsKey(last.heads), from: lakeHeadsKey(origin, last.heads), hash: last.heads });
  const objects = await manyAtOnce(histories, async ({ key, from, hash }) => ({
    key,
    bytes: await readNamed(lake, from, hash, 'the log'),
  }));
  await createExactly(store, objects);
}
