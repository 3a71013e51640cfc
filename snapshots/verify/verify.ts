import { Failure, orNull } from '../../lib/failure.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import {
  CHECKPOINT_KEY,
  HEADS,
  INPUTS,
  TILES,
  WORKSPACES,
  historyKey,
  inputsKey,
  workspacePrefix,
} from '../layout.ts';
import type { Fold } from '../log/fold.ts';
import { decodeHistory } from '../log/history.ts';
import type { History } from '../log/history.ts';
import { formatNote } from '../log/notes/note.ts';
import { readCheckpoint } from '../log/read.ts';
import { keysBelow } from '../read.ts';
import { Reporter } from './findings.ts';
import type { About } from './findings.ts';
import { verifyLog } from './log.ts';
import type { VerifiedLog } from './log.ts';
import type { VerifyOptions, VerifyReport } from './report.ts';
import { checkNamed } from './stored.ts';
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

/** The text of the checkpoint; undefined if there is none that can be read. */
async function noteOf(store: ObjectStore): Promise<string | undefined> {
  return (await readCheckpoint(store).catch(() => null))?.note.text;
}

async function verifyOnce(store: ObjectStore, options: VerifyOptions): Promise<VerifyReport> {
  const report = new Reporter();
  const log = await verifyLog(store, options, report);
  const scope = log && scopeOf(log, options);
  if (log !== null) {
    judgeAge(log, options, report);
    await verifyObjects(store, log, scope, options, report);
  }
  const { notes, checked } = report;
  // Objects are read several at a time.
  const problems = report.problems.toSorted((a, b) => compareText(a.objects.join(), b.objects.join()));
  const newer = [...report.newer].toSorted();
  const isIntact = problems.length + newer.length === 0;
  const subset = options.subset ?? null;
  const found = { isIntact, problems, notes, newer, scope, subset, checked };
  if (log === null) return { ...found, log: null, checkpoint: null };
  const { origin, size, root, note } = log.checkpoint;
  const { at, publishedAt } = log.fold;
  return {
    ...found,
    log: { origin, size, root: root.toString('hex'), newestEntryAt: at, publishedAt },
    checkpoint: isIntact && scope === null ? formatNote(note) : null,
  };
}

function judgeAge(
  { fold, checkpoint }: VerifiedLog,
  { now, notOlderThanMs }: VerifyOptions,
  report: Reporter,
): void {
  if (fold.heads.size === 0)
    report.problem('no_snapshots', [], `the log has ${checkpoint.size} entries and no snapshot`);
  // A withdrawal, or a rotation, does not show that the weekly job runs.
  const published = Date.parse(fold.publishedAt);
  if (notOlderThanMs === undefined || now - published <= notOlderThanMs) return;
  const days = ((now - published) / 86_400_000).toFixed(1);
  report.problem('log_old', [], `the newest publication is of ${fold.publishedAt}, ${days} days ago`);
}

/** What of the store is read; null: all. The log is always read whole. */
function scopeOf({ fold }: VerifiedLog, { select, workspaceId }: VerifyOptions): VerifyReport['scope'] {
  if (select !== undefined) return select(fold);
  return workspaceId === undefined ? null : { workspaceId, snapshotId: null };
}

/** Verifies the objects of all workspaces in one pass over the list, or those of one workspace. */
async function verifyObjects(
  store: ObjectStore,
  { fold, namedHistories }: VerifiedLog,
  scope: VerifyReport['scope'],
  options: VerifyOptions,
  report: Reporter,
): Promise<void> {
  const only = scope?.workspaceId;
  const left = new Set(only === undefined ? fold.heads.keys() : [only]);
  options.onStart?.(left.size);
  const inputs = new Map<string, About[]>();
  const verify = async (workspaceId: string, keys: readonly string[]) => {
    left.delete(workspaceId);
    const history =
      fold.histories.get(workspaceId) ?? (await storedHistory(store, fold, workspaceId, report));
    if (history === null) return;
    const [newest, pastHistories] = [fold.heads.get(workspaceId)!, namedHistories.get(workspaceId)!];
    const of = { history, newest, keys, pastHistories, only: scope?.snapshotId };
    for (const hash of await verifyWorkspace(store, of, options, report))
      inputs.getOrInsertComputed(hash, () => []).push({ workspaceId });
    options.onWorkspace?.();
  };
  const prefix = only === undefined ? '' : workspacePrefix(only);
  for await (const { workspaceId, keys } of byWorkspace(store, prefix)) {
    if (workspaceId !== null && fold.heads.has(workspaceId)) await verify(workspaceId, keys);
    else report.unnamed(keys.filter((key) => !isCheckedElsewhere(key)));
  }
  for (const workspaceId of left) {
    if (!fold.heads.has(workspaceId))
      throw new Failure(`the log of ${store.url} has no snapshot of workspace ${workspaceId}`);
    await verify(workspaceId, []);
  }
  await manyAtOnce(inputs, async ([hash, abouts]) => {
    await checkNamed(store, { key: inputsKey(hash), hash, what: 'list of inputs' }, report, abouts);
  });
  const named = new Set([...inputs.keys()].map(inputsKey));
  // Otherwise manifests that were not read may name the others.
  if (only === undefined) report.unnamed((await keysBelow(store, INPUTS)).filter((key) => !named.has(key)));
  const { unpublished } = report;
  if (unpublished.length > 0)
    report.note(
      'unpublished',
      unpublished.toSorted(),
      'nothing names this; a job that was killed or is running wrote it: its next run uses it',
    );
}

/** The history of a workspace that does not follow from the entries, because a newer version wrote some of them. */
async function storedHistory(
  store: ObjectStore,
  fold: Fold,
  workspaceId: string,
  report: Reporter,
): Promise<History | null> {
  const hash = fold.heads.get(workspaceId)!;
  const key = historyKey(workspaceId, hash);
  const bytes = await checkNamed(store, { key, hash, what: 'history' }, report, [{ workspaceId }]);
  const history = bytes && orNull(() => decodeHistory(bytes, workspaceId, key));
  if (bytes !== null && history === null) report.newer.add(key);
  return history;
}

/** True for the log, for heads and inputs. */
function isCheckedElsewhere(key: string): boolean {
  return key === CHECKPOINT_KEY || [HEADS, INPUTS, TILES].some((prefix) => key.startsWith(prefix));
}

const IN_WORKSPACE = new RegExp(`^${WORKSPACES}([^/]+)/`);

/** The keys of a store, grouped by workspace, in the order of the list; null for those of none. */
async function* byWorkspace(
  store: ObjectStore,
  prefix: string,
): AsyncGenerator<{ workspaceId: string | null; keys: string[] }> {
  let group: { workspaceId: string | null; keys: string[] } = { workspaceId: null, keys: [] };
  for await (const { key } of store.list(prefix)) {
    const [, workspaceId = null] = IN_WORKSPACE.exec(key) ?? [];
    if (workspaceId !== group.workspaceId) {
      yield group;
      group = { workspaceId, keys: [] };
    }
    group.keys.push(key);
  }
  yield group;
}
