import { manifestKey, pointerKey, receiptKey, snapshotPrefix, tombstoneKey } from '../layout.ts';
import { asOfOfId } from '../manifest.ts';
import type { Chain } from './chain.ts';
import type { Reporter } from './findings.ts';
import type { Folder, Inventory } from './inventory.ts';

/**
 * Explains the snapshots that the pointer does not lead to. One without a receipt, that nothing links to, was left by
 * a publication that died. One that was published is a sign that the pointer was put back or the chain cut.
 * @returns the folders with a manifest whose documents can be checked all the same.
 */
export function explainOffChain(inventory: Inventory, chain: Chain, report: Reporter): Folder[] {
  const members = new Set(chain.members.map(({ folder }) => folder.snapshotId));
  const folders = [...inventory.folders.values()].filter(({ snapshotId }) => !members.has(snapshotId));
  const linkedTo = new Set(folders.flatMap(({ manifest }) => manifest?.content?.previous?.snapshotId ?? []));
  for (const folder of folders) {
    const wasPublished = folder.parts.has('receipt') || linkedTo.has(folder.snapshotId);
    if (wasPublished) explainPublished(inventory, chain, folder, report);
    else explainLeftover(inventory, folder, report);
  }
  noteSpareManifests(inventory, report);
  return folders.filter(({ manifest }) => manifest?.content);
}

function noteSpareManifests({ folders }: Inventory, report: Reporter): void {
  for (const { snapshotId, spareManifests } of folders.values()) {
    if (spareManifests.length === 0) continue;
    const message =
      'a manifest of this snapshot that never became current: its publication died or was overtaken';
    const concerned = { snapshotId, asOf: asOfOfId(snapshotId) };
    report.note('unpublished leftovers', spareManifests, message, concerned);
  }
}

function explainPublished(inventory: Inventory, chain: Chain, folder: Folder, report: Reporter): void {
  const { workspaceId } = inventory;
  const { snapshotId } = folder;
  const concerned = { snapshotId, asOf: asOfOfId(snapshotId) };
  const base = baseOf(inventory, chain, folder);
  const tip = chain.members[0]?.folder.snapshotId;
  if (folder.manifest === null && chain.isWhole) {
    const key = manifestKey(workspaceId, snapshotId);
    report.problem('missing', [key], 'this manifest of a published snapshot is missing', concerned);
  }
  if (base !== null && base === tip) {
    const message = `the pointer names ${tip}, but this snapshot was published after it`;
    report.problem('rolled back', [pointerKey(workspaceId)], message, concerned);
  } else if (base !== null || chain.isWhole) {
    const message = 'this snapshot was published, but the chain does not contain it';
    const receipt = folder.parts.has('receipt') ? [receiptKey(workspaceId, snapshotId)] : [];
    report.problem(
      'forked',
      [pointerKey(workspaceId), manifestKey(workspaceId, snapshotId), ...receipt],
      message,
      concerned,
    );
  }
}

/** The member of the chain that a snapshot off the chain was published after; null: none, or nobody can say. */
function baseOf({ folders }: Inventory, { members }: Chain, folder: Folder): string | null {
  const visited = new Set<Folder>();
  for (let at: Folder | undefined = folder; at !== undefined && !visited.has(at);) {
    visited.add(at);
    const previous = at.manifest?.content?.previous?.snapshotId;
    if (previous === undefined) return null;
    if (members.some((member) => member.folder.snapshotId === previous)) return previous;
    at = folders.get(previous);
  }
  return null;
}

function explainLeftover({ workspaceId }: Inventory, folder: Folder, report: Reporter): void {
  const { snapshotId, documents, manifest, parts } = folder;
  const prefix = snapshotPrefix(workspaceId, snapshotId);
  const concerned = { snapshotId, asOf: asOfOfId(snapshotId) };
  const strange = [
    ...(parts.has('tombstone') ? [tombstoneKey(workspaceId, snapshotId)] : []),
    ...folder.tombstoneSignatures.values(),
  ];
  if (strange.length > 0) {
    report.problem('extra', strange, 'a tombstone for a snapshot that was never published', concerned);
  }
  const objects = [...documents].map((path) => `${prefix}${path}`).concat([...folder.signatures.values()]);
  if (manifest !== null) objects.push(manifestKey(workspaceId, snapshotId));
  const message = `a publication died here, or is at work: ${objects.length} objects that nothing links to`;
  report.note('unpublished leftovers', objects, message, concerned);
}
