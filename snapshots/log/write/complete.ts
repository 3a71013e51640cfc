import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import { Failure } from '../../../lib/failure.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { INPUTS, headsKey, historyKey, manifestKey } from '../../layout.ts';
import { decodeManifest } from '../../manifest.ts';
import { missingObjects } from '../../read.ts';
import { decodeEntry, isWorkspaceEntry } from '../entries.ts';
import type { PublishedEntry } from '../entries.ts';
import { encodedHistories } from '../fold.ts';
import { encodeHeads, findPublication, mayBeGone } from '../history.ts';
import type { History } from '../history.ts';
import { readArchive, readContents } from './archive.ts';
import type { ArchivedCommit, Contents } from './archive.ts';
import type { Committed } from './committed.ts';
import { createExactly, writeExactly } from './create-exactly.ts';
import { growLog } from './grow.ts';
import { showCheckpoint, shownBy } from './shown.ts';
import type { LogParts } from './shown.ts';
import { copiedHeads, historyReader } from './state.ts';

/**
 * Writes to the store what was committed and is not there yet, because the commit was killed. Does nothing otherwise,
 * with one read.
 * @throws Failure if the store does not belong to this lake, or is an older copy: then documents are missing.
 */
export async function completeLog(parts: LogParts, committed: Committed): Promise<void> {
  const { store, lake, origin } = parts;
  for (;;) {
    const shown = await shownBy(parts, committed);
    if (shown.isWhole) return;
    const { size } = committed.checkpoint;
    const commits = await readArchive(lake, committed.archive, Math.min(shown.size, size - 1));
    const all = commits.flatMap((commit) => commit.entries);
    const { from, edge } = commits[0]!;
    const entries = all.map((bytes, index) => decodeEntry(bytes, from + index));
    const missing = entries.slice(Math.max(0, shown.size - from));
    const heads = await copiedHeads(lake, committed);
    const historyOf = historyReader(lake, origin, heads);
    const ids = new Set(missing.filter(isWorkspaceEntry).map(({ workspaceId }) => workspaceId));
    const histories = new Map(await manyAtOnce(ids, async (id) => [id, await historyOf(id)] as const));
    const published = missing.filter((each) => each.kind === 'published');
    await refuseOlderCopy(parts, commits, published, histories);
    await createExactly(store, [
      ...encodedHistories(histories).map(({ workspaceId, hash, bytes }) => ({
        key: historyKey(workspaceId, hash),
        bytes,
      })),
      { key: headsKey(committed.heads), bytes: encodeHeads(heads) },
    ]);
    await writeExactly(store, growLog(edge, all).objects);
    if (await showCheckpoint(store, committed.checkpoint, shown)) return;
  }
}

/**
 * A commit that was killed had written all documents before. If one is missing, the store is an older copy: a log that
 * names what is gone must not be shown by itself.
 */
async function refuseOlderCopy(
  { store, lake }: LogParts,
  commits: readonly ArchivedCommit[],
  published: readonly PublishedEntry[],
  histories: ReadonlyMap<string, History>,
): Promise<void> {
  const archived = new Map<string, Buffer>();
  for (const commit of commits)
    for (const [hash, bytes] of await readContents(lake, commit)) archived.set(hash, bytes);
  const found = await manyAtOnce(
    published,
    async (each) => await goneOf(store, each, histories.get(each.workspaceId)!, archived),
  );
  const gone = [...new Set(found.flat())]; // snapshots share inputs
  if (gone.length === 0) return;
  const [first] = gone;
  throw new Failure(
    `${store.url} is an older copy: ${gone.length} objects of snapshots that were published are missing, the first is ${first}; nothing was published. Put the store back from a newer copy, or use "audit log complete", then "audit rebuild --repair"`,
  );
}

/** The objects that must be there and are not. An adopted lake may have lost a manifest, which the store then has. */
async function goneOf(
  store: ObjectStore,
  { workspaceId, snapshotId, manifestSha256 }: PublishedEntry,
  history: History,
  archived: Contents,
): Promise<string[]> {
  const withdrawn = findPublication(history, snapshotId)?.withdrawn?.reason;
  if (mayBeGone(withdrawn)) return [];
  const key = manifestKey(workspaceId, snapshotId, manifestSha256);
  const bytes = archived.get(manifestSha256) ?? (await store.get(key))?.bytes;
  if (bytes === undefined) return [key];
  const missing = await missingObjects(store, decodeManifest(bytes, key), manifestSha256);
  if (withdrawn !== 'pruned') return missing;
  return missing.filter((each) => each === key || each.startsWith(INPUTS));
}
