import type { ObjectStore } from '../../../lib/store/store.ts';
import { findSnapshot } from '../../audit/select.ts';
import { pointerKey, snapshotPrefix } from '../../layout.ts';
import type { LogEntry } from '../../log/entries.ts';
import { asOfOfId } from '../../manifest.ts';
import type { Trust } from '../../signing.ts';
import { UNKNOWN, reporter } from '../findings.ts';
import type { Findings, Reporter } from '../findings.ts';
import type { Head, VerifyOptions, VerifyReport } from '../report.ts';
import { walkChain } from './chain.ts';
import type { Chain } from './chain.ts';
import { checkDocuments, isInSubset } from './documents.ts';
import type { DocumentsToCheck } from './documents.ts';
import { checkHistories } from './histories.ts';
import type { InputLists } from './histories.ts';
import type { Inventory } from './inventory.ts';
import { explainOffChain } from './off-chain.ts';
import { checkReceipts } from './receipts.ts';
import { checkSignatures } from './signatures.ts';
import { checkTombstone, signersOf } from './tombstones.ts';

/** The findings about one workspace. */
export interface VerifiedWorkspace extends Findings {
  checked: Omit<VerifyReport['checked'], 'logEntries'>;
  heads: Head[];
  /** The published snapshots of the chain, oldest first. */
  published: LogEntry[];
}

/** Compares everything of one workspace with its chain. Reads only. */
export async function verifyWorkspace(
  store: ObjectStore,
  inventory: Inventory,
  inputs: InputLists,
  options: VerifyOptions,
): Promise<VerifiedWorkspace> {
  const { workspaceId } = inventory;
  const { trust } = options;
  const findings: Findings = { problems: [], notes: [] };
  const report = reporter(workspaceId, findings);
  const chain = walkChain(inventory, report);
  const signatures = await checkSignatures(store, workspaceId, chain, trust, report);
  await checkReceipts(store, workspaceId, chain, report);
  await checkHistories(store, workspaceId, chain, report);
  await inputs.check(chain, report);
  if (inventory.unknownKeys.length > 0) report.problem('extra', inventory.unknownKeys, UNKNOWN);
  compareWithSeen(chain, workspaceId, options.seen ?? [], report);
  const selected = await documentsToCheck(store, inventory, chain, options, report);
  const documents = await checkDocuments(store, inventory, selected, report);
  noteUnchecked(chain, trust, report);
  const head = chain.members[0]?.link;
  return {
    ...findings,
    checked: { workspaces: 1, snapshots: selected.length, ...documents, signatures },
    published: chain.members.map(entryOf).toReversed(),
    heads:
      head === undefined
        ? []
        : [{ workspaceId, snapshotId: head.snapshotId, manifestSha256: head.manifestSha256 }],
  };
}

function entryOf({ manifest, link }: Chain['members'][number]): LogEntry {
  const { workspaceId, sequence, publishedAt } = manifest;
  return { workspaceId, sequence, ...link, publishedAt };
}

/** Selects the documents to compare with their manifests, after checking tombstones and snapshots off the chain. */
async function documentsToCheck(
  store: ObjectStore,
  inventory: Inventory,
  chain: Chain,
  { trust, snapshot, subset }: VerifyOptions,
  report: Reporter,
): Promise<DocumentsToCheck[]> {
  const { workspaceId } = inventory;
  const wanted = snapshot === undefined ? null : findSnapshot(inventory, chain, snapshot);
  const signers = signersOf(chain, trust);
  const toCheck: DocumentsToCheck[] = [];
  for (const [index, member] of chain.members.entries()) {
    const isCurrent = index === 0;
    const isPruned = await checkTombstone(store, workspaceId, member, { signers, isCurrent }, report);
    const prefix = snapshotPrefix(workspaceId, member.link.snapshotId);
    const isSelected =
      isCurrent || subset === undefined
        ? undefined
        : (path: string) => isInSubset(`${prefix}${path}`, subset);
    toCheck.push({ folder: member.folder, manifest: member.manifest, isPruned, isSelected });
  }
  for (const { folder, manifest } of explainOffChain(inventory, chain, report)) {
    // Documents of a snapshot that was never published may be missing.
    toCheck.push({ folder, manifest, isPruned: folder.hasTombstone || !folder.hasReceipt });
  }
  return toCheck.filter(({ folder }) => wanted === null || folder.snapshotId === wanted);
}

function compareWithSeen(
  { members }: Chain,
  workspaceId: string,
  seen: readonly Head[],
  report: Reporter,
): void {
  for (const { snapshotId, manifestSha256 } of seen.filter((head) => head.workspaceId === workspaceId)) {
    if (members.some(({ link }) => link.snapshotId === snapshotId && link.manifestSha256 === manifestSha256))
      continue;
    const message = `snapshot ${snapshotId}, the newest that the state file recorded, is no longer in the chain`;
    report.problem('replaced', [pointerKey(workspaceId)], message, {
      snapshotId,
      asOf: asOfOfId(snapshotId),
    });
  }
}

function noteUnchecked({ members }: Chain, trust: Trust | null, report: Reporter): void {
  if (trust !== null || members.every(({ manifest }) => manifest.signedBy === null)) return;
  const signed = members.filter(({ manifest }) => manifest.signedBy !== null).length;
  const message = `${signed} of ${members.length} snapshots are signed, but no public key was given to check them with`;
  report.note('signatures_not_checked', [], message);
}
