import {
  manifestKey,
  pointerKey,
  receiptKey,
  signatureKey,
  snapshotPrefix,
  tombstoneKey,
} from '../../layout.ts';
import { asOfOfId } from '../../manifest.ts';
import type { Manifest } from '../../manifest.ts';
import type { Chain, Member } from './chain.ts';
import type { Reporter } from '../findings.ts';
import type { Folder, Inventory } from './inventory.ts';

/** A snapshot off the chain with a readable manifest: its documents can be checked too. */
export interface OffChain {
  folder: Folder;
  manifest: Manifest;
}

/**
 * Explains the snapshots that are not in the chain. Without a receipt and without a link to it, a snapshot was never
 * published. A published one means that the pointer was set back or the chain was cut.
 */
export function explainOffChain(inventory: Inventory, chain: Chain, report: Reporter): OffChain[] {
  const members = new Set(chain.members.map(({ folder }) => folder.snapshotId));
  const folders = [...inventory.folders.values()].filter(({ snapshotId }) => !members.has(snapshotId));
  const linkedTo = new Set(
    folders.flatMap(({ manifests }) =>
      manifests.flatMap(({ content }) => content?.previous?.snapshotId ?? []),
    ),
  );
  for (const folder of folders) {
    const wasPublished = folder.hasReceipt || linkedTo.has(folder.snapshotId);
    if (wasPublished) explainPublished(inventory, chain, folder, report);
    else explainLeftover(inventory, folder, report);
  }
  for (const member of chain.members) noteSpares(inventory, member, report);
  return folders.flatMap((folder) => {
    const manifest = contentOf(folder);
    return manifest === null ? [] : [{ folder, manifest }];
  });
}

function contentOf({ manifests }: Folder): Manifest | null {
  return manifests.find(({ content }) => content !== null)?.content ?? null;
}

/** Manifests, signatures and histories of other publications of the same snapshot, which never became current. */
export function sparesOf(workspaceId: string, { folder, link, manifest }: Member): string[] {
  const { snapshotId, manifestSha256 } = link;
  const own = signatureKey(workspaceId, snapshotId, manifestSha256);
  return [
    ...folder.manifests.filter(({ sha256 }) => sha256 !== manifestSha256).map(({ key }) => key),
    ...[...folder.signatures.values()].filter((key) => manifest.signedBy === null || key !== own),
    ...[...folder.histories].filter(([of]) => manifest.history?.slice(0, 16) !== of).map(([, key]) => key),
  ];
}

function noteSpares({ workspaceId }: Inventory, member: Member, report: Reporter): void {
  // A manifest that is not the one that the chain names is reported by the chain already.
  const isNamed = member.folder.manifests.some(({ sha256 }) => sha256 === member.link.manifestSha256);
  const spares = sparesOf(workspaceId, member);
  if (spares.length === 0 || !isNamed) return;
  const message =
    'a manifest of this snapshot that never became current: its publication was killed or overtaken';
  report.note('unpublished', spares, message, {
    snapshotId: member.link.snapshotId,
    asOf: member.manifest.asOf,
  });
}

function explainPublished(inventory: Inventory, chain: Chain, folder: Folder, report: Reporter): void {
  const { workspaceId } = inventory;
  const { snapshotId } = folder;
  const snapshot = { snapshotId, asOf: asOfOfId(snapshotId) };
  const base = baseOf(inventory, chain, folder);
  const tip = chain.members[0]?.folder.snapshotId;
  if (folder.manifests.length === 0 && chain.isWhole) {
    const key = manifestKey(workspaceId, snapshotId);
    report.problem('missing', [key], 'this manifest of a published snapshot is missing', snapshot);
  }
  if (base !== null && base === tip) {
    const message = `the pointer names ${tip}, but this snapshot was published after it`;
    report.problem('rolled_back', [pointerKey(workspaceId)], message, snapshot);
  } else if (base !== null || chain.isWhole) {
    const message = 'this snapshot was published, but the chain does not contain it';
    const receipt = folder.hasReceipt ? [receiptKey(workspaceId, snapshotId)] : [];
    const objects = [pointerKey(workspaceId), manifestKey(workspaceId, snapshotId), ...receipt];
    report.problem('forked', objects, message, snapshot);
  }
}

/**
 * The id of the chain's member that a snapshot off the chain was published after; null if there is none, or unknown.
 */
function baseOf({ folders }: Inventory, { members }: Chain, folder: Folder): string | null {
  const visited = new Set<Folder>();
  for (let at: Folder | undefined = folder; at !== undefined && !visited.has(at);) {
    visited.add(at);
    const previous: string | undefined = contentOf(at)?.previous?.snapshotId;
    if (previous === undefined) return null;
    if (members.some((member) => member.folder.snapshotId === previous)) return previous;
    at = folders.get(previous);
  }
  return null;
}

/** All keys of a snapshot that was never published. */
export function leftoverKeys(workspaceId: string, folder: Folder): string[] {
  const prefix = snapshotPrefix(workspaceId, folder.snapshotId);
  return [
    ...[...folder.documents].map((path) => `${prefix}${path}`),
    ...folder.manifests.map(({ key }) => key),
    ...folder.signatures.values(),
    ...folder.histories.values(),
  ];
}

function explainLeftover({ workspaceId }: Inventory, folder: Folder, report: Reporter): void {
  const { snapshotId } = folder;
  const snapshot = { snapshotId, asOf: asOfOfId(snapshotId) };
  const buried = [
    ...(folder.hasTombstone ? [tombstoneKey(workspaceId, snapshotId)] : []),
    ...folder.tombstoneSignatures.values(),
  ];
  if (buried.length > 0)
    report.problem('extra', buried, 'a tombstone for a snapshot that was never published', snapshot);
  const objects = leftoverKeys(workspaceId, folder);
  if (objects.length === 0) return;
  const message = `a publication was killed here, or is still running: ${objects.length} objects that nothing links to`;
  report.note('unpublished', objects, message, snapshot);
}
