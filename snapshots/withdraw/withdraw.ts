import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { Failure, handleDamage } from '../../lib/failure.ts';
import type { ObjectInfo, ObjectStore } from '../../lib/store/store.ts';
import { historyKey, readKey, snapshotsPrefix, workspacePrefix } from '../layout.ts';
import { choose } from '../reading/select.ts';
import { hasDocuments, isDeeper } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import type { WithdrawalReason } from '../log/entries.ts';
import { commitToLog } from '../log/write/commit.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { withState } from '../log/write/state.ts';
import type { LogState } from '../log/write/state.ts';
import { isOutdated } from '../publish/replaced.ts';
import { hasAnything, readDocument, readInputs, readManifest } from '../read.ts';

/** Snapshots that were withdrawn, or that would be. */
export interface Withdrawn {
  workspaceId: string;
  snapshotIds: string[];
}

export interface WithdrawOptions {
  workspaceId: string;
  /** A snapshot of the workspace, or all that are published. `lost`: those of which something is missing or altered. */
  which: { reference: string } | 'all' | 'lost';
  reason: Exclude<WithdrawalReason, 'pruned'>;
}

/**
 * Withdraws snapshots of a workspace: a signed entry of the log, which `verify` reports as a note from then on. `removed`
 * also deletes their objects.
 * @throws Failure, before anything is done, if `lost` is said of snapshots that are there and right, or if nothing of
 * the workspace can be read: then the store is away, not lost.
 */
export async function withdrawSnapshots(parts: CommitParts, options: WithdrawOptions): Promise<Withdrawn> {
  const { workspaceId, reason } = options;
  let chosen: Publication[] = [];
  let listed: ObjectInfo[] = [];
  await commitToLog(parts, async (state) => {
    // Before the commit: what a publication writes that begins after it, and so knows of it, is not deleted.
    if (reason === 'removed') listed = await Array.fromAsync(parts.store.list(workspacePrefix(workspaceId)));
    const history = await knownHistory(state, workspaceId);
    chosen = await choosePublications(parts.store, history, options);
    const drafts = chosen.map(
      ({ snapshotId }) => ({ kind: 'withdrawn', workspaceId, snapshotId, reason }) as const,
    );
    return { drafts };
  });
  if (reason === 'removed') {
    // Without a new entry a publication that is writing now would not see the removal.
    const isDue = ({ modifiedAt }: ObjectInfo) => chosen.length !== 0 || isOutdated(modifiedAt, parts.clock);
    await deleteRemoved(parts, workspaceId, listed, isDue);
  }
  return { workspaceId, snapshotIds: chosen.map(({ snapshotId }) => snapshotId) };
}

async function knownHistory(state: LogState, workspaceId: string): Promise<History> {
  const history = await state.historyOf(workspaceId);
  if (history.publications.length !== 0) return history;
  throw new Failure(`the log has no snapshot of workspace ${workspaceId}`);
}

async function choosePublications(
  store: ObjectStore,
  history: History,
  { which, reason }: WithdrawOptions,
): Promise<Publication[]> {
  const standing = history.publications.filter(
    ({ withdrawn }) => withdrawn === null || isDeeper(reason, withdrawn.reason),
  );
  if (which === 'all') return standing;
  if (which === 'lost') return await lostOf(store, history, standing);
  const publication = choose(history, which.reference);
  if (!standing.includes(publication))
    throw new Failure(`${publication.snapshotId} was withdrawn before: ${publication.withdrawn!.reason}`);
  if (reason === 'lost' && (await lostOf(store, history, [publication])).length === 0)
    throw new Failure(`${publication.snapshotId} is there, with the published bytes: it is not lost`);
  return [publication];
}

/** Those of which something is missing or altered. @throws Failure if nothing of the workspace can be read */
async function lostOf(
  store: ObjectStore,
  history: History,
  publications: readonly Publication[],
): Promise<Publication[]> {
  const { workspaceId } = history;
  const isWhole = await manyAtOnce(publications, async (each) => await isReadable(store, workspaceId, each));
  const lost = publications.filter((_, index) => !isWhole[index]);
  if (lost.length !== 0 && !(await hasAnything(store, snapshotsPrefix(workspaceId))))
    throw new Failure(
      `nothing of workspace ${workspaceId} can be read in ${store.url}: is the store mounted? "audit log complete --from COPY" writes its objects again`,
    );
  return lost;
}

async function isReadable(
  store: ObjectStore,
  workspaceId: string,
  publication: Publication,
): Promise<boolean> {
  const read = async () => {
    const manifest = await readManifest(store, workspaceId, publication);
    await readInputs(store, manifest);
    const documents = hasDocuments(publication) ? manifest.documents : [];
    await manyAtOnce(documents, async (document) => await readDocument(store, manifest, document));
    return true;
  };
  return await handleDamage(read, () => false);
}

/**
 * Deletes all objects of a removed workspace, leftovers of killed publications too, but its newest history, which has only
 * ids and hashes. A publication that had begun before sees the entries when it commits, and leaves the workspace out.
 * @param isDue decides about what no publication names
 */
async function deleteRemoved(
  parts: CommitParts,
  workspaceId: string,
  listed: readonly ObjectInfo[],
  isDue: (object: ObjectInfo) => boolean,
): Promise<void> {
  const { store } = parts;
  const { head, publications } = await withState(parts, async (state) => ({
    head: historyKey(workspaceId, state.heads.get(workspaceId)!),
    publications: (await state.historyOf(workspaceId)).publications,
  }));
  if (publications.some(({ withdrawn }) => withdrawn === null))
    throw new Failure(
      `workspace ${workspaceId} was published again meanwhile, and nothing was deleted: run the command again`,
    );
  const known = new Set<string | null>(publications.map(({ snapshotId }) => snapshotId));
  const due = listed.filter((object) => {
    const meaning = readKey(object.key);
    if (meaning === null || object.key === head) return false;
    return known.has(meaning.snapshotId) || isDue(object);
  });
  await manyAtOnce(due, async ({ key }) => await store.delete(key));
}
