import { Failure } from '../../lib/failure.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import {
  CHECKPOINT_KEY,
  HEADS,
  INPUTS,
  LOG,
  STAMPS,
  TILES,
  WORKSPACES,
  inputsKey,
  isStampKey,
  readKey,
  workspacePrefix,
} from '../layout.ts';
import { formatNote } from '../log/notes/note.ts';
import { readCheckpoint } from '../log/read.ts';
import { tileOfKey } from '../log/tree/tiles.ts';
import { keysBelow } from '../read.ts';
import { Reporter } from './findings.ts';
import { verifyLog } from './log.ts';
import type { VerifiedLog } from './log.ts';
import type { VerifyOptions, VerifyReport } from './report.ts';
import { checkNamed, namedByNothing } from './stored.ts';
import { verifyWorkspace } from './workspace.ts';

const MOST_TRIES = 5;

/**
 * Compares everything in a store with its log. Reads only. If there are problems, but the log has grown since the
 * beginning, something was being withdrawn or published: then they prove nothing, and everything is compared again.
 * @throws Failure if the store cannot be read, or changes during every attempt.
 */
export async function verifyStore(store: ObjectStore, options: VerifyOptions): Promise<VerifyReport> {
  await store.check();
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = await noteOf(store);
    const report = await verifyOnce(store, options);
    if (report.isIntact || (await noteOf(store)) === before) return report;
  }
  throw new Failure(`${store.url} is being changed too often to verify; try again`);
}

/** The text of the checkpoint; null if there is none that can be read. */
async function noteOf(store: ObjectStore): Promise<string | null> {
  return (await readCheckpoint(store).catch(() => null))?.note.text ?? null;
}

async function verifyOnce(store: ObjectStore, options: VerifyOptions): Promise<VerifyReport> {
  const report = new Reporter();
  const checked = { logEntries: 0, workspaces: 0, snapshots: 0, documents: 0, bytes: 0 };
  const log = await verifyLog(store, options, report);
  if (log !== null) {
    judgeAge(log, options, report);
    await verifyObjects(store, log, options, report, checked);
    checked.logEntries = log.checkpoint.size;
  }
  const { problems, notes } = report.findings;
  const isIntact = problems.length === 0;
  const head = log === null ? null : { ...log.checkpoint, at: log.fold.at };
  return {
    isIntact,
    problems,
    notes,
    checked,
    log: head && {
      origin: head.origin,
      size: head.size,
      root: head.root.toString('hex'),
      newestEntryAt: head.at,
    },
    checkpoint: head !== null && isIntact ? formatNote(head.note) : null,
  };
}

function judgeAge(
  { fold, checkpoint }: VerifiedLog,
  { now, notOlderThanMs }: VerifyOptions,
  report: Reporter,
): void {
  if (fold.histories.size === 0)
    report.problem('no_snapshots', [], `the log has ${checkpoint.size} entries and no snapshot`);
  if (notOlderThanMs === undefined || now - Date.parse(fold.at) <= notOlderThanMs) return;
  const days = ((now - Date.parse(fold.at)) / 86_400_000).toFixed(1);
  report.problem('log_old', [], `the newest entry is of ${fold.at}, ${days} days ago`);
}

/** Verifies the objects of all workspaces in one pass over the list, or those of one workspace. */
async function verifyObjects(
  store: ObjectStore,
  { fold, namedHistories, unpublished }: VerifiedLog,
  options: VerifyOptions,
  report: Reporter,
  checked: VerifyReport['checked'],
): Promise<void> {
  const selected = options.select?.(fold);
  const only = selected?.workspaceId ?? options.workspaceId;
  const left = new Set(only === undefined ? fold.histories.keys() : [only]);
  options.onStart?.(left.size);
  const inputs = new Map<string, Set<string>>();
  const verify = async (workspaceId: string, keys: readonly string[]) => {
    const history = fold.histories.get(workspaceId);
    if (history === undefined) return;
    left.delete(workspaceId);
    const pastHistories = namedHistories.get(workspaceId)!;
    const of = { history, keys, pastHistories, only: selected?.snapshotId };
    const found = await verifyWorkspace(store, of, options, report);
    for (const hash of found.inputs) inputs.set(hash, (inputs.get(hash) ?? new Set()).add(workspaceId));
    unpublished.push(...found.unpublished);
    checked.workspaces += 1;
    for (const count of ['snapshots', 'documents', 'bytes'] as const) checked[count] += found.checked[count];
    options.onWorkspace?.();
  };
  const prefix = only === undefined ? '' : workspacePrefix(only);
  for await (const { workspaceId, keys } of byWorkspace(store, prefix)) {
    if (workspaceId !== null && fold.histories.has(workspaceId)) await verify(workspaceId, keys);
    else unpublished.push(...classifyOthers(keys, report));
  }
  for (const workspaceId of left) {
    if (!fold.histories.has(workspaceId))
      throw new Failure(`the log of ${store.url} has no snapshot of workspace ${workspaceId}`);
    await verify(workspaceId, []);
  }
  await manyAtOnce(inputs, async ([hash, workspaceIds]) => {
    const abouts = [...workspaceIds].map((workspaceId) => ({ workspaceId }));
    await checkNamed(store, { key: inputsKey(hash), hash, what: 'list of inputs' }, report, abouts);
  });
  // Otherwise manifests that were not read may name the others.
  if (only === undefined)
    unpublished.push(
      ...namedByNothing(await keysBelow(store, INPUTS), new Set([...inputs.keys()].map(inputsKey)), report),
    );
  if (unpublished.length > 0)
    report.note('unpublished', unpublished.toSorted(), `${unpublished.length} objects that nothing names`);
}

/** Keys that belong to no published workspace. @returns those that a publication may have left */
function classifyOthers(keys: readonly string[], report: Reporter): string[] {
  const known = [HEADS, INPUTS, TILES, STAMPS]; // checked elsewhere
  const others = keys.filter((key) => !isOfLog(key) && known.every((prefix) => !key.startsWith(prefix)));
  report.extra(others.filter((key) => readKey(key) === null));
  return others.filter((key) => readKey(key) !== null);
}

/** True for the checkpoint, and for what an old log consists of. */
function isOfLog(key: string): boolean {
  if (key === CHECKPOINT_KEY) return true;
  const [, old] = /^log-old\/\d{1,16}-[0-9a-f]{16}\/(.+)$/.exec(key) ?? [];
  if (old === undefined) return false;
  const former = `${LOG}${old}`;
  return former === CHECKPOINT_KEY || tileOfKey(former) !== null || isStampKey(former);
}

/** The keys of a store, grouped by workspace, in the order of the list; null for those of none. */
async function* byWorkspace(
  store: ObjectStore,
  prefix: string,
): AsyncGenerator<{ workspaceId: string | null; keys: string[] }> {
  let group: { workspaceId: string | null; keys: string[] } = { workspaceId: null, keys: [] };
  for await (const { key } of store.list(prefix)) {
    const [top, name, ...rest] = key.split('/');
    const workspaceId = `${top}/` === WORKSPACES && rest.length > 0 ? name! : null;
    if (workspaceId !== group.workspaceId) {
      if (group.keys.length > 0) yield group;
      group = { workspaceId, keys: [] };
    }
    group.keys.push(key);
  }
  if (group.keys.length > 0) yield group;
}
