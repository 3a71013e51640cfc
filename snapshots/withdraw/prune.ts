import { Failure, NewerVersion, handleDamage } from '../../lib/failure.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readKey, snapshotsPrefix } from '../layout.ts';
import { asOf, currentOf } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import { commitToLog, prepareCommit } from '../log/write/commit.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { withState } from '../log/write/state.ts';
import type { LogState } from '../log/write/state.ts';
import { currentOn, lastOfEachWeek, weekOf } from '../reading/select.ts';
import type { Finding, ProblemKind } from '../verify/findings.ts';
import { verifyStore } from '../verify/verify.ts';
import { deleteBelow } from '../read.ts';

/** All snapshots of the N newest weeks, by as-of time, or the snapshot that was current at the end of a day. */
export type Keep = { newest: number } | { date: string };

export interface PruneOptions {
  workspaceId?: string | undefined;
  /** A snapshot is kept if any of these rules keeps it. The current snapshot is always kept. */
  keep: readonly Keep[];
  isDryRun: boolean;
}

export interface Pruned {
  snapshotId: string;
  asOf: string;
  documents: number;
  bytes: number;
}

/** The snapshots of one workspace that are pruned, or would be. */
export interface PrunedWorkspace {
  workspaceId: string;
  snapshots: Pruned[];
  /** Why nothing of this workspace was pruned; null if there is no reason. */
  refused: string | null;
}

/**
 * Removes the documents of old snapshots: first entries of the log say so, then they are deleted. What a killed pruning
 * left is deleted too. The manifests stay, so the history can still be verified and proved.
 *
 * A workspace that does not verify is left out, and the others are pruned: pruning would destroy evidence.
 */
export async function pruneSnapshots(parts: CommitParts, options: PruneOptions): Promise<PrunedWorkspace[]> {
  const { store, origin, signer, clock } = parts;
  // Completes what a killed commit left, as every command that writes.
  if (!options.isDryRun) await commitToLog(parts, () => Promise.resolve({ drafts: [] }));
  const plans = await withState(parts, async (state) => {
    if (state.committed === null) await prepareCommit(parts, null); // a lake that does not remember the store's log
    return await manyAtOnce(selectedOf(state, options), async (id) => await planOf(state, id, options));
  });
  const planned = plans.filter(({ due }) => due.length > 0);
  if (planned.length > 0) {
    const { workspaceId } = options;
    const identity = { origin, trust: signer.trust };
    const { problems, newer } = await verifyStore(store, { identity, workspaceId, now: clock.now() });
    if (newer.length > 0) throw new NewerVersion(store.url, newer[0]!);
    for (const plan of planned) {
      const first = problems.find((problem) => concerns(problem, plan.workspaceId));
      if (first === undefined) continue;
      plan.refused = `it does not verify: ${first.objects[0] ?? first.kind}: ${first.message}`;
      plan.due = [];
    }
  }
  if (!options.isDryRun) await prune(parts, plans);
  return plans.map(({ workspaceId, due, refused }) => ({
    workspaceId,
    snapshots: due.map((each) => {
      const { snapshotId, documents, bytes } = each;
      return { snapshotId, asOf: asOf(each), documents, bytes };
    }),
    refused,
  }));
}

/** True for a problem of the workspace, or of what all have: the log. An object that nothing names is of nobody. */
function concerns({ kind, workspaceId }: Finding<ProblemKind>, own: string): boolean {
  return workspaceId === own || (workspaceId === null && kind !== 'extra');
}

function selectedOf({ heads }: LogState, { workspaceId }: PruneOptions): string[] {
  if (workspaceId === undefined) return [...heads.keys()].toSorted();
  if (heads.has(workspaceId)) return [workspaceId];
  throw new Failure(`the log has no snapshot of workspace ${workspaceId}`);
}

interface Plan extends Omit<PrunedWorkspace, 'snapshots'> {
  /** Newest first. */
  due: Publication[];
}

async function planOf(state: LogState, workspaceId: string, { keep }: PruneOptions): Promise<Plan> {
  const plan = async (): Promise<Plan> => {
    const history = await state.historyOf(workspaceId);
    const kept = keptOf(history, keep);
    const due = history.publications
      .filter(({ withdrawn, snapshotId }) => withdrawn === null && !kept.has(snapshotId))
      .toReversed();
    return { workspaceId, due, refused: null };
  };
  return await handleDamage(plan, ({ message }) => ({ workspaceId, due: [], refused: message }));
}

/** The ids to keep. @throws Failure if a rule names nothing. */
function keptOf(history: History, keep: readonly Keep[]): ReadonlySet<string | undefined> {
  const kept = new Set([currentOf(history)?.snapshotId]);
  for (const rule of keep) {
    if ('newest' in rule) {
      const weeks = new Set(
        lastOfEachWeek(history)
          .slice(0, rule.newest)
          .map((each) => weekOf(asOf(each))),
      );
      for (const each of history.publications) if (weeks.has(weekOf(asOf(each)))) kept.add(each.snapshotId);
      continue;
    }
    const current = currentOn(history, rule.date);
    if (current === undefined)
      throw new Failure(
        `it had no snapshot on ${rule.date}, so --keep ${rule.date} keeps nothing; the list command shows what there is`,
      );
    kept.add(current.snapshotId);
  }
  return kept;
}

async function prune(parts: CommitParts, plans: readonly Plan[]): Promise<void> {
  const allowed = plans.filter(({ refused }) => refused === null);
  await commitToLog(parts, async (state) => {
    const drafts = await manyAtOnce(allowed, async ({ workspaceId, due }) => {
      const now = await state.historyOf(workspaceId);
      const ids = new Set(due.map(({ snapshotId }) => snapshotId));
      return now.publications
        .filter((each) => ids.has(each.snapshotId) && each.withdrawn === null && each !== currentOf(now))
        .map(({ snapshotId }) => ({ kind: 'withdrawn', workspaceId, snapshotId, reason: 'pruned' }) as const);
    });
    return { drafts: drafts.flat() };
  });
  const histories = await withState(
    parts,
    async (state) => await manyAtOnce(allowed, async ({ workspaceId }) => await state.historyOf(workspaceId)),
  );
  for (const history of histories) await deleteDocuments(parts.store, history);
}

/** Deletes the documents of snapshots that the log says are pruned. Their ids are never published again. */
async function deleteDocuments(store: ObjectStore, { workspaceId, publications }: History): Promise<void> {
  const pruned = publications.filter(({ withdrawn }) => withdrawn?.reason === 'pruned');
  const ids = new Set<string | null>(pruned.map(({ snapshotId }) => snapshotId));
  await deleteBelow(store, snapshotsPrefix(workspaceId), (key) => {
    const meaning = readKey(key);
    return meaning?.part === 'document' && ids.has(meaning.snapshotId);
  });
}
