import { Failure } from '../../lib/failure.ts';
import type { Trust } from '../../lib/signing.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { INPUTS, WORKSPACES, isInputsKey, isScheduleKey } from '../layout.ts';
import type { Link } from '../manifest.ts';
import type { Checkpoint, TreeHead } from '../log/checkpoint.ts';
import type { LogEntry } from '../log/entries.ts';
import { CHECKPOINT_KEY, isLogKey } from '../log/layout.ts';
import type { Policy } from '../log/policy.ts';
import { readCheckpoint } from '../log/read.ts';
import { verifyLog } from '../log/verify-log.ts';
import type { Subset } from './documents.ts';
import { reporter } from './findings.ts';
import type { Findings, Reporter } from './findings.ts';
import { InputLists } from './histories.ts';
import { byWorkspace, takeInventory } from './inventory.ts';
import type { Inventory } from './inventory.ts';
import type { Reference } from './select.ts';
import { UNKNOWN, verifyWorkspace } from './verify-workspace.ts';

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
  /** What was the newest snapshot at an earlier visit: it must still be in the chain. */
  seen?: readonly Head[] | undefined;
  /** What the log must continue: its head at an earlier visit, or checkpoints that were kept. */
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
