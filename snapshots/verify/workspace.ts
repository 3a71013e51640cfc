import type { ObjectStore } from '../../lib/store/store.ts';
import { historyKey, manifestKey, readKey, snapshotPrefix } from '../layout.ts';
import { currentOf, hasDocuments, mayBeGone } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import type { Manifest } from '../manifest.ts';
import { checkDocuments, isInSubset } from './documents.ts';
import type { Reporter } from './findings.ts';
import { checkManifests } from './manifests.ts';
import type { VerifyOptions } from './report.ts';
import { checkVersions } from './stored.ts';

/** What the log says of a workspace, and what of it is compared. */
interface WorkspaceToVerify {
  history: History;
  /** Its SHA-256, as the log names it. */
  newest: string;
  /** Of the workspace, as the store lists them. */
  keys: readonly string[];
  /** The SHA-256 of histories that earlier entries of the log named. */
  pastHistories: ReadonlySet<string>;
  /** The snapshot whose documents are read; otherwise all. */
  only: string | null | undefined;
}

/**
 * Compares all objects of a workspace with what the log says of it.
 * @returns the hashes of the lists of inputs that its manifests name
 */
export async function verifyWorkspace(
  store: ObjectStore,
  { history, newest, keys, pastHistories, only }: WorkspaceToVerify,
  { subset, withoutDocuments = false }: VerifyOptions,
  report: Reporter,
): Promise<Set<string>> {
  const { workspaceId, publications } = history;
  const there = new Set(keys);
  const keyOf = (hash: string) => historyKey(workspaceId, hash);
  const versions = { what: 'history', hashes: pastHistories, newest, keyOf, there } as const;
  const named = await checkVersions(store, versions, report, [{ workspaceId }]);
  const manifests = await checkManifests(store, history, report);
  report.checked.workspaces += 1;
  report.checked.snapshots += manifests.size;
  const inputs = new Set<string>();
  const ownerOf = ownersOf(manifests.values());
  const current = currentOf(history);
  for (const publication of publications) {
    const { snapshotId, manifestSha256, withdrawn } = publication;
    const manifest = manifests.get(publication) ?? null;
    const documents = documentKeys(workspaceId, snapshotId, manifest, keys);
    for (const key of [manifestKey(workspaceId, snapshotId, manifestSha256), ...documents]) named.add(key);
    const left = documents.filter((key) => there.has(key));
    if (withdrawn !== null) noteWithdrawn(workspaceId, publication, manifest, left, report);
    if (manifest === null) continue;
    if (!mayBeGone(withdrawn?.reason)) inputs.add(manifest.inputs);
    if (withoutDocuments || !hasDocuments(publication) || (only ?? snapshotId) !== snapshotId) continue;
    const isWhole = subset === undefined || publication === current;
    const isSelected = (key: string) => isWhole || isInSubset(key, subset);
    await checkDocuments(store, manifest, { there, isSelected, ownerOf }, report);
  }
  const unnamed = keys.filter((key) => !named.has(key));
  reportUnnamed(history, unnamed, report);
  return inputs;
}

function reportUnnamed(
  { workspaceId, publications }: History,
  keys: readonly string[],
  report: Reporter,
): void {
  const published = new Set<string | null>(publications.map(({ snapshotId }) => snapshotId));
  for (const key of keys) {
    const meaning = readKey(key);
    if (meaning?.part === 'document' && published.has(meaning.snapshotId)) {
      const about = { workspaceId, snapshotId: meaning.snapshotId! };
      report.problem('extra', [key], 'the manifest does not list this document', about);
    } else report.unnamed([key], { workspaceId });
  }
}

/** The keys of a snapshot's documents; of one whose manifest is gone, whatever lies in its folder. */
function documentKeys(
  workspaceId: string,
  snapshotId: string,
  manifest: Manifest | null,
  keys: readonly string[],
): string[] {
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  if (manifest !== null) return manifest.documents.map(({ path }) => `${prefix}${path}`);
  return keys.filter((key) => key.startsWith(prefix) && readKey(key)?.part === 'document');
}

/** @param left the keys of its documents that are still there */
function noteWithdrawn(
  workspaceId: string,
  { snapshotId, manifestSha256, withdrawn }: Publication,
  manifest: Manifest | null,
  left: string[],
  report: Reporter,
): void {
  const about = { workspaceId, snapshotId };
  const { reason, at } = withdrawn!;
  report.note(reason, [], `withdrawn at ${at}: ${reason}`, about);
  if (reason !== 'pruned' && reason !== 'removed') return;
  if (reason === 'removed' && manifest !== null)
    left.push(manifestKey(workspaceId, snapshotId, manifestSha256));
  if (left.length > 0) report.note('deletion_unfinished', left, 'this is still there', about);
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
