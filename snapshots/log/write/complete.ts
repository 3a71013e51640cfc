import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import { Failure } from '../../../lib/failure.ts';
import { sha256 } from '../../../lib/hash.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { headsKey, historyKey, inputsKey, manifestKey, snapshotPrefix } from '../../layout.ts';
import { decodeManifest } from '../../manifest.ts';
import { MOST_BYTES, keysBelow } from '../../read.ts';
import { decodeEntry } from '../entries.ts';
import type { PublishedEntry, WithdrawalReason, WorkspaceEntry } from '../entries.ts';
import { mayBeGone, moveHead } from '../history.ts';
import { entriesIn, readArchive } from './archive.ts';
import type { Archive } from './archive.ts';
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
    const archive = await readArchive(lake, committed.archive, shown.size);
    await refuseOlderCopy(parts, archive, committed.heads);
    await writeExactly(store, growLog(archive.edge, entriesIn(archive)).objects);
    await showCheckpoint(store, committed.checkpoint, shown.version);
  }
}

/**
 * A commit that was killed had written all but the log itself before. If something is missing, the store is an older copy: a
 * log that names what is gone must not be shown by itself.
 */
async function refuseOlderCopy(
  { store }: LogParts,
  { commits }: Archive,
  headsSha256: string,
): Promise<void> {
  const heads = new Map<string, string>();
  const withdrawn = new Map<string, WithdrawalReason>();
  const published: PublishedEntry[] = [];
  for (const { from, entries } of commits)
    for (const [at, bytes] of entries.entries()) {
      const entry = decodeEntry(bytes, from + at);
      moveHead(heads, entry);
      if (entry.kind === 'withdrawn') withdrawn.set(nameOf(entry), entry.reason);
      if (entry.kind === 'published') published.push(entry);
    }
  const found = await manyAtOnce(
    published,
    async (entry) => await goneOf(store, entry, withdrawn.get(nameOf(entry))),
  );
  const named = [headsKey(headsSha256), ...[...heads].map(([id, hash]) => historyKey(id, hash))];
  const gone = new Set([...found.flat(), ...(await missingOf(store, named))]); // snapshots share inputs
  if (gone.size === 0) return;
  throw new Failure(
    `${store.url} is an older copy: ${gone.size} objects that the log names are missing, the first is ${[...gone][0]}; nothing was published. Put the store back from a newer copy, or use "audit log complete --from COPY", then "audit rebuild --repair"`,
  );
}

function nameOf({ workspaceId, snapshotId }: WorkspaceEntry): string {
  return `${workspaceId}/${snapshotId}`;
}

/** The objects that must be there and are not. */
async function goneOf(
  store: ObjectStore,
  { workspaceId, snapshotId, manifestSha256 }: PublishedEntry,
  withdrawn: WithdrawalReason | undefined,
): Promise<string[]> {
  if (mayBeGone(withdrawn)) return [];
  const key = manifestKey(workspaceId, snapshotId, manifestSha256);
  const bytes = (await store.get(key, MOST_BYTES))?.bytes;
  if (bytes === undefined || sha256(bytes) !== manifestSha256) return [key];
  const { documents, inputs } = decodeManifest(bytes, key).value;
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  const there = new Set(await keysBelow(store, prefix));
  const wanted = withdrawn === 'pruned' ? [] : documents.map(({ path }) => `${prefix}${path}`);
  return [...wanted.filter((each) => !there.has(each)), ...(await missingOf(store, [inputsKey(inputs)]))];
}

async function missingOf(store: ObjectStore, keys: readonly string[]): Promise<string[]> {
  const found = await manyAtOnce(keys, async (key) => ((await store.get(key)) === null ? [key] : []));
  return found.flat();
}
