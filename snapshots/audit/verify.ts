import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { WORKSPACES, isScheduleKey, pointerKey } from '../layout.ts';
import { asOfOfId } from '../manifest.ts';
import type { Link } from '../read.ts';
import { walkChain } from './chain.ts';
import type { Chain } from './chain.ts';
import { checkDocuments } from './documents.ts';
import type { DocumentsToCheck } from './documents.ts';
import { reporter } from './findings.ts';
import type { Findings, Reporter } from './findings.ts';
import { byWorkspace, takeInventory } from './inventory.ts';
import type { Inventory } from './inventory.ts';
import { explainOffChain } from './off-chain.ts';
import { checkReceipts } from './receipts.ts';
import { findSnapshot } from './select.ts';
import { checkSignatures } from './signatures.ts';
import { checkTombstone } from './tombstones.ts';

const STRANGER = 'nothing of this project has such a name';

/** The newest snapshot of a workspace, as an auditor writes it down to compare with the next time. */
export interface Head extends Link {
  workspaceId: string;
}

export interface VerifyOptions {
  /** Only this workspace; all that the store holds where it is absent. */
  workspaceId?: string | undefined;
  /** Only the documents of this snapshot (an id, a date, `current`, `previous`), beside the chain that leads to it. */
  snapshot?: string | undefined;
  /** The keys of which one must have signed; null: signatures are not checked. */
  trust: Trust | null;
  /** What was the newest snapshot at an earlier visit: it must still be in the chain. */
  seen?: readonly Head[];
  /** Called once with the number of workspaces, then after each. */
  onStart?: (workspaces: number) => void;
  onWorkspace?: () => void;
}

export interface VerifyReport extends Findings {
  /** True where there is no problem. */
  isIntact: boolean;
  checked: { workspaces: number; snapshots: number; documents: number; bytes: number; signatures: number };
  heads: Head[];
}

/** Compares everything in a store with the chain of manifests. Reads only. */
export async function verifyStore(store: ObjectStore, options: VerifyOptions): Promise<VerifyReport> {
  await store.check();
  const total: VerifyReport = {
    isIntact: true,
    problems: [],
    notes: [],
    checked: { workspaces: 0, snapshots: 0, documents: 0, bytes: 0, signatures: 0 },
    heads: [],
  };
  if (options.workspaceId === undefined) await verifyAll(store, options, total);
  else await verifyOne(store, options.workspaceId, options, total);
  total.isIntact = total.problems.length === 0;
  return total;
}

/** In one pass over the list of all objects, a workspace at a time. */
async function verifyAll(store: ObjectStore, options: VerifyOptions, total: VerifyReport): Promise<void> {
  const missing = new Set(options.seen?.map((head) => head.workspaceId));
  options.onStart?.((await store.folders(WORKSPACES)).length);
  for await (const { workspaceId, keys } of byWorkspace(store)) {
    if (workspaceId === null) {
      reportStrangers(keys, total);
      continue;
    }
    await verifySettled(store, workspaceId, options, total, keys);
    missing.delete(workspaceId);
    options.onWorkspace?.();
  }
  for (const workspaceId of missing) await verifySettled(store, workspaceId, options, total);
}

/** What the schedule writes down is ours, and no part of what is published. */
function reportStrangers(keys: readonly string[], total: VerifyReport): void {
  const objects = keys.filter((key) => !isScheduleKey(key));
  const place = { workspaceId: null, snapshotId: null, since: null };
  if (objects.length > 0) total.problems.push({ kind: 'extra', ...place, objects, message: STRANGER });
}

async function verifyOne(
  store: ObjectStore,
  workspaceId: string,
  options: VerifyOptions,
  total: VerifyReport,
): Promise<void> {
  const wasSeen = options.seen?.some((head) => head.workspaceId === workspaceId) ?? false;
  if (!wasSeen && !(await store.folders(WORKSPACES)).includes(workspaceId)) {
    throw new Failure(`${store.url} holds nothing of workspace ${workspaceId}`);
  }
  await verifySettled(store, workspaceId, options, total);
}

/**
 * Where something is wrong and the workspace has other objects than at the beginning, a publication or a pruning was
 * at work: then what was seen is no evidence, and it is looked at once more.
 */
async function verifySettled(
  store: ObjectStore,
  workspaceId: string,
  options: VerifyOptions,
  total: VerifyReport,
  keys?: readonly string[],
): Promise<void> {
  for (let tries = 0; ; tries++) {
    const inventory = await takeInventory(store, workspaceId, tries === 0 ? keys : undefined);
    const found = await verifyWorkspace(store, inventory, options);
    const isFinal = found.problems.length === 0 || tries === 2;
    if (!isFinal && !isSame(inventory, await takeInventory(store, workspaceId))) continue;
    total.problems.push(...found.problems);
    total.notes.push(...found.notes);
    total.heads.push(...found.heads);
    for (const count of Object.keys(found.checked) as (keyof VerifyReport['checked'])[]) {
      total.checked[count] += found.checked[count];
    }
    return;
  }
}

function isSame(before: Inventory, after: Inventory): boolean {
  return spell(before) === spell(after);
}

function spell({ folders, strangers, pointer }: Inventory): string {
  const spelled = [...folders.values()].map(
    ({ snapshotId, documents, parts, signatures, tombstoneSignatures, manifest }) => [
      snapshotId,
      [...documents],
      [...parts],
      [...signatures.keys(), ...tombstoneSignatures.keys()],
      manifest?.sha256,
    ],
  );
  return JSON.stringify([pointer, strangers, spelled]);
}

async function verifyWorkspace(
  store: ObjectStore,
  inventory: Inventory,
  options: VerifyOptions,
): Promise<Omit<VerifyReport, 'isIntact'>> {
  const { workspaceId } = inventory;
  const { trust } = options;
  const findings: Findings = { problems: [], notes: [] };
  const report = reporter(workspaceId, findings);
  const chain = walkChain(inventory, report);
  const signatures = await checkSignatures(store, workspaceId, chain, trust, report);
  await checkReceipts(store, workspaceId, chain, report);
  const offChain = explainOffChain(inventory, chain, report);
  for (const key of inventory.strangers) report.problem('extra', [key], STRANGER);
  compareWithSeen(chain, workspaceId, options.seen ?? [], report);

  const wanted = options.snapshot === undefined ? null : findSnapshot(inventory, chain, options.snapshot);
  const toCheck: DocumentsToCheck[] = [];
  for (const member of chain.members) {
    const isPruned = await checkTombstone(store, workspaceId, member, trust, report);
    toCheck.push({ folder: member.folder, manifest: member.manifest, isPruned });
  }
  for (const folder of offChain) {
    const isPruned = folder.parts.has('tombstone');
    toCheck.push({ folder, manifest: folder.manifest!.content!, isPruned });
  }
  const selected = toCheck.filter(({ folder }) => wanted === null || folder.snapshotId === wanted);
  const documents = await checkDocuments(store, inventory, selected, report);
  noteUnchecked(chain, trust, report);
  const head = chain.members[0]?.link;
  return {
    ...findings,
    checked: { workspaces: 1, snapshots: selected.length, ...documents, signatures },
    heads:
      head === undefined
        ? []
        : [{ workspaceId, snapshotId: head.snapshotId, manifestSha256: head.manifestSha256 }],
  };
}

function compareWithSeen(
  { members }: Chain,
  workspaceId: string,
  seen: readonly Head[],
  report: Reporter,
): void {
  for (const head of seen.filter((candidate) => candidate.workspaceId === workspaceId)) {
    const { snapshotId, manifestSha256 } = head;
    if (members.some(({ link }) => link.snapshotId === snapshotId && link.manifestSha256 === manifestSha256))
      continue;
    const message = `snapshot ${snapshotId}, which was the newest at an earlier visit, is not in the chain any more`;
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
  report.note('signatures not checked', [], message);
}
