import { sha256 } from '../../lib/hash.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { historyKey, inputsKey, manifestKey, readKey, snapshotPrefix } from '../layout.ts';
import { currentOf, encodeHistory, mayBeGone } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import type { Manifest } from '../manifest.ts';
import { checkDocuments, isInSubset } from './documents.ts';
import type { Reporter } from './findings.ts';
import { checkManifests } from './manifests.ts';
import type { VerifyOptions, VerifyReport } from './report.ts';
import { bytesOf } from './stored.ts';

export interface VerifiedWorkspace {
  checked: Pick<VerifyReport['checked'], 'snapshots' | 'documents' | 'bytes'>;
  /** Keys of lists of inputs that its manifests name. */
  inputs: Set<string>;
  /** Keys that nothing names, and that a publication may have left. */
  unpublished: string[];
}

/**
 * Compares all objects of a workspace with what the log says of it.
 * @param keys of the workspace, as the store lists them
 * @param only the snapshot whose documents are read; undefined: all
 * @param pastHistories the SHA-256 of histories that earlier entries of the log named
 */
export async function verifyWorkspace(
  store: ObjectStore,
  {
    history,
    keys,
    pastHistories,
    only,
  }: {
    history: History;
    keys: readonly string[];
    pastHistories: ReadonlySet<string>;
    only: string | undefined;
  },
  { subset }: VerifyOptions,
  report: Reporter,
): Promise<VerifiedWorkspace> {
  const { workspaceId, publications } = history;
  const there = new Set(keys);
  const named = new Set<string>();
  await checkHistories(store, { history, there, pastHistories, named }, report);
  const manifests = await checkManifests(store, history, there, report);
  const result: VerifiedWorkspace = {
    checked: { snapshots: manifests.size, documents: 0, bytes: 0 },
    inputs: new Set(),
    unpublished: [],
  };
  const ownerOf = ownersOf(manifests.values());
  const current = currentOf(history);
  for (const publication of publications) {
    const manifest = manifests.get(publication) ?? null;
    named.add(manifestKey(workspaceId, publication.snapshotId, publication.manifestSha256));
    for (const key of documentKeys(workspaceId, publication, manifest, there)) named.add(key);
    if (manifest !== null && !mayBeGone(publication.withdrawn?.reason))
      result.inputs.add(inputsKey(manifest.inputs));
    if (isGone(publication)) noteWithdrawn(workspaceId, publication, manifest, there, report);
    else if (manifest !== null && (only === undefined || publication.snapshotId === only)) {
      if (publication.withdrawn !== null) noteWithdrawn(workspaceId, publication, manifest, there, report);
      const isWhole = subset === undefined || publication === current;
      const isSelected = (key: string) => isWhole || isInSubset(key, subset);
      const { documents, bytes } = await checkDocuments(
        store,
        manifest,
        { there, isSelected, ownerOf },
        report,
      );
      result.checked.documents += documents;
      result.checked.bytes += bytes;
    }
  }
  result.unpublished = unnamed(history, keys, named, report);
  return result;
}

/** What nothing names: a problem, or left by a publication; the keys of these are returned. */
function unnamed(
  { workspaceId, publications }: History,
  keys: readonly string[],
  named: ReadonlySet<string>,
  report: Reporter,
): string[] {
  const published = new Set(publications.map(({ snapshotId }) => snapshotId));
  return keys.filter((key) => {
    if (named.has(key)) return false;
    const meaning = readKey(key);
    if (meaning === null) {
      report.problem('extra', [key], 'no command writes an object with this name', { workspaceId });
      return false;
    }
    if (meaning.part !== 'document' || !published.has(meaning.snapshotId)) return true;
    const about = { workspaceId, snapshotId: meaning.snapshotId };
    report.problem('extra', [key], 'the manifest does not list this document', about);
    return false;
  });
}

/** True if documents may be absent. */
function isGone({ withdrawn }: Publication): boolean {
  return withdrawn !== null && withdrawn.reason !== 'mistaken';
}

/** The newest history must be there; older ones may be, and then have their own bytes. */
async function checkHistories(
  store: ObjectStore,
  {
    history,
    there,
    pastHistories,
    named,
  }: { history: History; there: ReadonlySet<string>; pastHistories: ReadonlySet<string>; named: Set<string> },
  report: Reporter,
): Promise<void> {
  const { workspaceId } = history;
  const newest = sha256(encodeHistory(history));
  for (const hash of new Set([newest, ...pastHistories])) {
    const key = historyKey(workspaceId, hash);
    if (hash !== newest && !there.has(key)) continue;
    named.add(key);
    const bytes = await bytesOf(store, key);
    if (bytes === null) {
      if (hash === newest)
        report.problem('named_missing', [key], 'the newest history is missing', { workspaceId });
    } else if (sha256(bytes) !== hash)
      report.problem('named_altered', [key], 'the history does not have the bytes that the log names', {
        workspaceId,
      });
  }
}

/** The keys of a snapshot's documents; of one whose manifest is gone, whatever lies in its folder. */
function documentKeys(
  workspaceId: string,
  { snapshotId }: Publication,
  manifest: Manifest | null,
  there: ReadonlySet<string>,
): string[] {
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  if (manifest !== null) return manifest.documents.map(({ path }) => `${prefix}${path}`);
  return [...there].filter((key) => key.startsWith(prefix) && readKey(key)?.part === 'document');
}

function noteWithdrawn(
  workspaceId: string,
  publication: Publication,
  manifest: Manifest | null,
  there: ReadonlySet<string>,
  report: Reporter,
): void {
  const { snapshotId, withdrawn } = publication;
  const about = { workspaceId, snapshotId };
  const { reason, at } = withdrawn!;
  report.note(reason, [], `withdrawn at ${at}: ${reason}`, about);
  if (reason !== 'pruned' && reason !== 'removed') return;
  const left = documentKeys(workspaceId, publication, manifest, there).filter((key) => there.has(key));
  if (reason === 'removed' && manifest !== null)
    left.push(manifestKey(workspaceId, snapshotId, publication.manifestSha256));
  if (left.length > 0)
    report.note('deletion_unfinished', left, `${left.length} objects are still there`, about);
}

/** Finds the document of the workspace that has a hash; looked up only when one does not match. */
function ownersOf(manifests: Iterable<Manifest>): (hash: string) => string | undefined {
  let owners: Map<string, string> | undefined;
  return (hash) => {
    owners ??= new Map(
      [...manifests].flatMap(({ workspaceId, snapshotId, documents }) =>
        documents.map(
          ({ path, sha256: own }) => [own, `${snapshotPrefix(workspaceId, snapshotId)}${path}`] as const,
        ),
      ),
    );
    return owners.get(hash);
  };
}
