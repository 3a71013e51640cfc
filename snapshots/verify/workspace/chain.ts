import { manifestKey, pointerKey } from '../../layout.ts';
import { asOfOfId } from '../../manifest.ts';
import type { Link, Manifest } from '../../manifest.ts';
import { misplacedAs } from '../../read.ts';
import type { Reporter } from '../findings.ts';
import type { Folder, Inventory } from './inventory.ts';

/** A snapshot of the chain, which starts at the pointer. */
export interface Member {
  folder: Folder;
  key: string;
  manifest: Manifest;
  manifestBytes: Buffer;
  /** The link to it, in the pointer or in the next manifest. */
  link: Link;
}

export interface Chain {
  /** Newest first. */
  members: Member[];
  /** False if a link leads nowhere: older snapshots cannot be reached. */
  isWhole: boolean;
}

/** Follows the links from the pointer to the first snapshot and reports every broken one. */
export function walkChain(inventory: Inventory, report: Reporter): Chain {
  const { workspaceId, pointer } = inventory;
  const chain: Chain = { members: [], isWhole: false };
  if (pointer === 'unreadable') {
    report.problem('altered', [pointerKey(workspaceId)], 'the pointer cannot be read');
    return chain;
  }
  if (pointer === null) {
    chain.isWhole = !hasPublished(inventory);
    if (!chain.isWhole) {
      const message = 'the pointer is missing, but snapshots were published';
      report.problem('missing', [pointerKey(workspaceId)], message);
    }
    return chain;
  }
  let from: LinkSource = { name: 'the pointer', key: pointerKey(workspaceId), manifest: null };
  for (let link: Link | null = pointer; link !== null;) {
    const member = follow(inventory, link, from, report);
    if (member === null) return chain;
    if (chain.members.some(({ folder }) => folder === member.folder)) {
      report.problem('forked', [member.key], 'the chain contains a cycle');
      return chain;
    }
    chain.members.push(member);
    from = {
      name: `the manifest of ${link.snapshotId}`,
      key: member.key,
      manifest: member.manifest,
    };
    link = member.manifest.previous;
  }
  chain.isWhole = true;
  return chain;
}

function hasPublished({ folders }: Inventory): boolean {
  return [...folders.values()].some(({ hasReceipt, histories }) => hasReceipt || histories.size > 0);
}

/** The object that contains a link. If the link is broken, one of its two ends was changed. */
interface LinkSource {
  name: string;
  key: string;
  manifest: Manifest | null;
}

function follow(inventory: Inventory, link: Link, from: LinkSource, report: Reporter): Member | null {
  const { workspaceId, folders } = inventory;
  const { snapshotId } = link;
  const usual = manifestKey(workspaceId, snapshotId);
  const snapshot = { snapshotId, asOf: asOfOfId(snapshotId) };
  const folder = folders.get(snapshotId);
  const stored =
    folder?.manifests.find(({ sha256 }) => sha256 === link.manifestSha256) ??
    folder?.manifests.find(({ key }) => key === usual);
  if (folder === undefined || stored === undefined) {
    const message = `${from.name} links to this manifest, which is missing`;
    report.problem('gap', [usual, from.key], message, snapshot);
    return null;
  }
  const { key, content } = stored;
  if (stored.sha256 !== link.manifestSha256) {
    const message = `this is not the manifest that ${from.name} links to`;
    report.problem('rewritten', [key, from.key], message, snapshot);
  }
  if (content === null) {
    report.problem('gap', [key], 'this manifest cannot be read, so the chain ends here', snapshot);
    return null;
  }
  const complaint =
    misplacedAs(content, workspaceId, snapshotId) ?? outOfOrder(content, from.manifest, from.name);
  if (complaint !== null) report.problem('rewritten', [key, from.key], complaint, snapshot);
  return { folder, key, manifest: content, manifestBytes: stored.bytes, link };
}

function outOfOrder(manifest: Manifest, after: Manifest | null, name: string): string | null {
  if (after === null) return null;
  if (after.sequence !== manifest.sequence + 1)
    return `this is snapshot number ${manifest.sequence}, but ${name} has number ${after.sequence}`;
  return manifest.publishedAt <= after.publishedAt ? null : `this was published after ${name}`;
}
