import { Failure } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { INPUTS, WORKSPACES, isInputsKey, isScheduleKey } from '../layout.ts';
import type { LogEntry } from '../log/entries.ts';
import { CHECKPOINT_KEY, isLogKey } from '../log/layout.ts';
import type { Checkpoint } from '../log/notes/checkpoint.ts';
import { readCheckpoint } from '../log/read.ts';
import { verifyLog } from '../log/verify/verify-log.ts';
import { UNKNOWN, reporter } from './findings.ts';
import type { Reporter } from './findings.ts';
import type { VerifyOptions, VerifyReport } from './report.ts';
import { InputLists } from './workspace/histories.ts';
import { byWorkspace, takeInventory } from './workspace/inventory.ts';
import type { Inventory } from './workspace/inventory.ts';
import { verifyWorkspace } from './workspace/verify-workspace.ts';

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

/** Verifies all workspaces in one pass over the list of all objects. */
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
  // Read before the chains: otherwise a concurrent append would look like entries that no chain contains.
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
    report.note('unpublished', unused, `lists of inputs that no published snapshot names: ${unused.length}`);
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
    throw new Failure(`${store.url} has no objects of workspace ${workspaceId}`);
  }
  await verifySettled(store, workspaceId, options, new InputLists(store, []), total);
}

const MOST_TRIES = 20;

/**
 * Verifies a workspace. If there are problems, but its objects have changed since the beginning, a publication or a
 * pruning was running: then the problems prove nothing, and the workspace is verified again.
 * @throws Failure if it changes during every attempt.
 */
async function verifySettled(
  store: ObjectStore,
  workspaceId: string,
  options: VerifyOptions,
  inputs: InputLists,
  total: VerifyReport,
  keys?: readonly string[],
): Promise<LogEntry[]> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const inventory = await takeInventory(store, workspaceId, tries === 0 ? keys : undefined);
    const found = await verifyWorkspace(store, inventory, inputs, options);
    if (found.problems.length > 0 && !isSame(inventory, await takeInventory(store, workspaceId))) continue;
    total.problems.push(...found.problems);
    total.notes.push(...found.notes);
    total.heads.push(...found.heads);
    for (const count of Object.keys(found.checked) as (keyof typeof found.checked)[]) {
      total.checked[count] += found.checked[count];
    }
    return found.published;
  }
  throw new Failure(
    `workspace ${workspaceId} in ${store.url} is being changed too often to verify; try again`,
  );
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
