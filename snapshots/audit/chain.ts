import { manifestKey, pointerKey } from '../layout.ts';
import { asOfOfId, snapshotIdOf } from '../manifest.ts';
import type { Manifest } from '../manifest.ts';
import type { Link } from '../read.ts';
import type { Reporter } from './findings.ts';
import type { Folder, Inventory } from './inventory.ts';

/** A snapshot that the pointer leads to, through the manifests after it. */
export interface Member {
  folder: Folder;
  manifest: Manifest;
  manifestBytes: Buffer;
  /** What the pointer or the next manifest says that it is. */
  link: Link;
  /** False where the manifest is not the one that the link names. */
  isGenuine: boolean;
}

export interface Chain {
  /** Newest first. */
  members: Member[];
  /** False where a link leads nowhere: what lies behind it is cut off. */
  isWhole: boolean;
}

/** Follows the links from the pointer to the first snapshot and reports every one that does not hold. */
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
      report.problem(
        'missing',
        [pointerKey(workspaceId)],
        'the pointer is missing, but snapshots were published',
      );
    }
    return chain;
  }
  let from: Linking = { name: 'the pointer', key: pointerKey(workspaceId) };
  for (let link: Link | null = pointer; link !== null;) {
    const member = follow(inventory, link, from, report);
    if (member === null) return chain;
    if (chain.members.some(({ folder }) => folder === member.folder)) {
      report.problem('forked', [manifestKey(workspaceId, link.snapshotId)], 'the chain runs in a circle');
      return chain;
    }
    chain.members.push(member);
    from = { name: `the manifest of ${link.snapshotId}`, key: manifestKey(workspaceId, link.snapshotId) };
    link = member.manifest.previous;
  }
  chain.isWhole = true;
  return chain;
}

function hasPublished({ folders }: Inventory): boolean {
  return [...folders.values()].some(({ parts }) => parts.has('receipt'));
}

/** What a link stands in: where a link does not hold, one of its two ends was touched. */
interface Linking {
  name: string;
  key: string;
}

function follow(inventory: Inventory, link: Link, from: Linking, report: Reporter): Member | null {
  const { workspaceId, folders } = inventory;
  const { snapshotId } = link;
  const key = manifestKey(workspaceId, snapshotId);
  const concerned = { snapshotId, asOf: asOfOfId(snapshotId) };
  const folder = folders.get(snapshotId);
  const stored = folder?.manifest ?? null;
  if (folder === undefined || stored === null) {
    report.problem(
      'gap',
      [key, from.key],
      `${from.name} links to this manifest, which is missing`,
      concerned,
    );
    return null;
  }
  const isGenuine = stored.sha256 === link.manifestSha256;
  if (!isGenuine)
    report.problem(
      'rewritten',
      [key, from.key],
      `this is not the manifest that ${from.name} links to`,
      concerned,
    );
  if (stored.content === null) {
    report.problem('gap', [key], 'this manifest cannot be read, so the chain ends here', concerned);
    return null;
  }
  const misnamed = complaintAbout(stored.content, workspaceId, snapshotId);
  if (misnamed !== null) report.problem('rewritten', [key], misnamed, concerned);
  return { folder, manifest: stored.content, manifestBytes: stored.bytes, link, isGenuine };
}

function complaintAbout(manifest: Manifest, workspaceId: string, snapshotId: string): string | null {
  if (manifest.workspaceId !== workspaceId) return `this is a manifest of workspace ${manifest.workspaceId}`;
  if (manifest.snapshotId !== snapshotId) return `this is the manifest of snapshot ${manifest.snapshotId}`;
  return snapshotIdOf(manifest) === snapshotId
    ? null
    : "the documents that this manifest lists are not those that its snapshot's id stands for";
}
