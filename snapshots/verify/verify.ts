import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { INPUTS, WORKSPACES, isInputsKey, isScheduleKey, pointerKey, snapshotPrefix } from '../layout.ts';
import { asOfOfId } from '../manifest.ts';
import type { Link } from '../manifest.ts';
import type { Checkpoint, TreeHead } from '../log/notes/checkpoint.ts';
import type { LogEntry } from '../log/entries.ts';
import { CHECKPOINT_KEY, isLogKey } from '../log/layout.ts';
import type { Policy } from '../log/notes/policy.ts';
import { readCheckpoint } from '../log/read.ts';
import { verifyLog } from '../log/verify-log.ts';
import { walkChain } from './workspace/chain.ts';
import type { Chain } from './workspace/chain.ts';
import { checkDocuments, isInSubset } from './workspace/documents.ts';
import type { DocumentsToCheck, Subset } from './workspace/documents.ts';
import { reporter } from './findings.ts';
import type { Findings, Reporter } from './findings.ts';
import { InputLists, checkHistories } from './workspace/histories.ts';
import { byWorkspace, takeInventory } from './workspace/inventory.ts';
import type { Inventory } from './workspace/inventory.ts';
import { explainOffChain } from './workspace/off-chain.ts';
import { checkReceipts } from './workspace/receipts.ts';
import { findSnapshot } from '../audit/select.ts';
import type { Reference } from '../audit/select.ts';
import { checkSignatures } from './workspace/signatures.ts';
import { checkTombstone, signersOf } from './workspace/tombstones.ts';

const UNKNOWN = 'nothing of this project has such a name';

/** The newest snapshot of a workspace, as an auditor writes it down to compare with the next time. */
export interface Head extends Link {
  workspaceId: string;
}

export interface VerifyOptions {
  /** Only this workspace; all that the store holds where it is absent. */
  workspaceId?: string | undefined;
  /** Only the documents of this snapshot, next to the chain that leads to it. */
  snapshot?: Reference | undefined;
  /** The keys of which one must have signed; null: signatures are not checked. */
  trust: Trust | null;
  /** The newest snapshot of each workspace in the state file: it must still be in the chain. */
  seen?: readonly Head[] | undefined;
  /** What the log must continue: the head in the state file, or checkpoints that were kept. */
  seenLogs?: readonly TreeHead[] | undefined;
  /** Whose cosignatures the log's checkpoint needs. */
  policy?: Policy | undefined;
  /** Of the documents of all but the newest snapshots, only this part. */
  subset?: Subset | undefined;
  /** A store without any snapshot is no problem. */
  allowEmpty?: boolean | undefined;
  /** Called once with the number of workspaces, then after each. */
  onStart?: (workspaces: number) => void;
  onWorkspace?: () => void;
}

export interface VerifyReport extends Findings {
  /** True where there is no problem. */
  isIntact: boolean;
  checked: {
    workspaces: number;
    snapshots: number;
    documents: number;
    bytes: number;
    signatures: number;
    /** Entries of the transparency log. */
    logEntries: number;
  };
  /** The head of the log; null where there is none, the store is not intact, or one workspace was looked at. */
  log: TreeHead | null;
  /** Empty where the store is not intact: then nobody should take them for the truth. */
  heads: Head[];
}

/** Compares everything in a store with the chain of manifests. Reads only. */
export async function verifyStore(store: ObjectStore, options: VerifyOptions): Promise<VerifyReport> {
  await store.check();
  const total: VerifyReport = {
    isIntact: true,
    problems: [],
    notes: [],
    checked: { workspaces: 0, snapshots: 0, documents: 0, bytes: 0, signatures: 0, logEntries: 0 },
    log: null,
    heads: [],
  };
  const report = reporter(null, total);
  if (options.workspaceId === undefined) await verifyAll(store, options, total, report);
  else await verifyOne(store, options.workspaceId, options, total);
  const isEmpty = total.heads.length === 0 && total.problems.length === 0;
  if (isEmpty && options.allowEmpty !== true)
    report.problem('no_snapshots', [], `${store.url} has no published snapshot`);
  total.isIntact = total.problems.length === 0;
  if (!total.isIntact) [total.heads, total.log] = [[], null];
  return total;
}

/** In one pass over the list of all objects, a workspace at a time. */
async function verifyAll(
  store: ObjectStore,
  options: VerifyOptions,
  total: VerifyReport,
  report: Reporter,
): Promise<void> {
  const missing = new Set(options.seen?.map((head) => head.workspaceId));
  const listed: string[] = [];
  for await (const { key } of store.list(INPUTS)) listed.push(key);
  const inputs = new InputLists(store, listed);
  // Before the chains: an append meanwhile must not look like one of snapshots that no chain has.
  const checkpoint = await checkpointOf(store, report);
  const published = new Map<string, LogEntry[]>();
  options.onStart?.((await store.folders(WORKSPACES)).length);
  for await (const { workspaceId, keys } of byWorkspace(store)) {
    if (workspaceId === null) {
      const unknown = keys.filter((key) => !isScheduleKey(key) && !isInputsKey(key) && !isLogKey(key));
      if (unknown.length > 0) report.problem('extra', unknown, UNKNOWN);
      continue;
    }
    published.set(workspaceId, await verifySettled(store, workspaceId, options, inputs, total, keys));
    missing.delete(workspaceId);
    options.onWorkspace?.();
  }
  for (const workspaceId of missing) await verifySettled(store, workspaceId, options, inputs, total);
  const { trust, seenLogs: seen = [], policy = null } = options;
  if (checkpoint !== 'unreadable')
    total.checked.logEntries = await verifyLog(store, checkpoint, { trust, seen, policy, published }, total);
  if (checkpoint !== 'unreadable') total.log = checkpoint;
  const unused = inputs.unused();
  if (unused.length > 0)
    report.note('unpublished', unused, `${unused.length} lists of inputs that no published snapshot names`);
}

async function checkpointOf(store: ObjectStore, report: Reporter): Promise<Checkpoint | null | 'unreadable'> {
  try {
    return await readCheckpoint(store);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    report.problem('log_damaged', [CHECKPOINT_KEY], error.message);
    return 'unreadable';
  }
}

async function verifyOne(
  store: ObjectStore,
  workspaceId: string,
  options: VerifyOptions,
  total: VerifyReport,
): Promise<void> {
  const wasSeen = options.seen?.some((head) => head.workspaceId === workspaceId) ?? false;
  if (!wasSeen && !(await store.folders(WORKSPACES)).includes(workspaceId)) {
    throw new Failure(`${store.url} has nothing of workspace ${workspaceId}`);
  }
  await verifySettled(store, workspaceId, options, new InputLists(store, []), total);
}

/**
 * Where something is wrong and the workspace has other objects than at the beginning, a publication or a pruning was
 * at work: then what was seen is no evidence, and it is looked at once more.
 */
async function verifySettled(
  store: ObjectStore,
  workspaceId: string,
  options: VerifyOptions,
  inputs: InputLists,
  total: VerifyReport,
  keys?: readonly string[],
): Promise<LogEntry[]> {
  for (let tries = 0; ; tries++) {
    const inventory = await takeInventory(store, workspaceId, tries === 0 ? keys : undefined);
    const found = await verifyWorkspace(store, inventory, inputs, options);
    const isFinal = found.problems.length === 0 || tries === 2;
    if (!isFinal && !isSame(inventory, await takeInventory(store, workspaceId))) continue;
    total.problems.push(...found.problems);
    total.notes.push(...found.notes);
    total.heads.push(...found.heads);
    for (const count of Object.keys(found.checked) as (keyof typeof found.checked)[]) {
      total.checked[count] += found.checked[count];
    }
    return found.published;
  }
}

function isSame(before: Inventory, after: Inventory): boolean {
  return fingerprintOf(before) === fingerprintOf(after);
}

function fingerprintOf({ folders, unknownKeys, pointer }: Inventory): string {
  const listed = [...folders.values()].map((folder) => [
    folder.snapshotId,
    [...folder.documents],
    [folder.hasReceipt, folder.hasTombstone],
    [...folder.signatures.keys(), ...folder.histories.keys(), ...folder.tombstoneSignatures.keys()],
    folder.manifests.map(({ sha256 }) => sha256),
  ]);
  return JSON.stringify([pointer, unknownKeys, listed]);
}

interface VerifiedWorkspace extends Findings {
  checked: Omit<VerifyReport['checked'], 'logEntries'>;
  heads: Head[];
  /** What the chain says that was published, oldest first. */
  published: LogEntry[];
}

async function verifyWorkspace(
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

/** Which documents to compare with their manifests, after a look at tombstones and at what is off the chain. */
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
    // Of a snapshot that was never published some documents may be missing.
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
