import { Failure } from '../../lib/failure.ts';
import { asOf, currentOf } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import type { LogIdentity } from '../log/follow.ts';
import { commitToLog, readState } from '../log/write/commit.ts';
import type { CommitParts, LogState } from '../log/write/commit.ts';
import { withCommitted } from '../log/write/committed.ts';
import { currentOn, lastOfEachWeek, weekOf } from '../audit/select.ts';
import type { Finding, ProblemKind } from '../verify/findings.ts';
import { verifyStore } from '../verify/verify.ts';
import { deleteDocuments, historiesOf } from './delete.ts';

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
export async function pruneSnapshots(
  parts: CommitParts,
  identity: LogIdentity,
  options: PruneOptions,
): Promise<PrunedWorkspace[]> {
  const { store, lake, origin, clock } = parts;
  // Completes what a killed commit left, as every command that writes.
  if (!options.isDryRun) await commitToLog(parts, () => Promise.resolve({ drafts: [] }));
  const plans = await withCommitted(parts, async (committed) => {
    const state = await readState(lake, origin, committed);
    return await Promise.all(selectedOf(state, options).map(async (id) => await planOf(state, id, options)));
  });
  const unverified = plans.filter((plan) => plan.refused === null && plan.due.length > 0);
  if (unverified.length > 0) {
    const { workspaceId } = options;
    const { problems } = await verifyStore(store, { identity, workspaceId, now: clock.now() });
    for (const plan of unverified) {
      const first = problems.find((problem) => concerns(problem, plan.history.workspaceId));
      if (first !== undefined)
        plan.refused = `it does not verify: ${first.objects[0] ?? first.kind}: ${first.message}`;
    }
  }
  if (!options.isDryRun) await prune(parts, plans);
  return plans.map(({ history, due, refused }) => ({
    workspaceId: history.workspaceId,
    snapshots: refused === null ? due.map(describe) : [],
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

interface Plan {
  history: History;
  /** Newest first. */
  due: Publication[];
  refused: string | null;
}

async function planOf(state: LogState, workspaceId: string, { keep }: PruneOptions): Promise<Plan> {
  const history = await state.historyOf(workspaceId);
  const kept = keptOf(history, keep);
  if (typeof kept === 'string') return { history, due: [], refused: kept };
  const due = history.publications
    .filter(({ withdrawn, snapshotId }) => withdrawn === null && !kept.has(snapshotId))
    .toReversed();
  return { history, due, refused: null };
}

/** The ids to keep; a text if a rule names nothing. */
function keptOf(history: History, keep: readonly Keep[]): Set<string> | string {
  const kept = new Set([currentOf(history)?.snapshotId ?? '']);
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
      return `it had no snapshot on ${rule.date}, so --keep ${rule.date} keeps nothing; the list command shows what there is`;
    kept.add(current.snapshotId);
  }
  return kept;
}

function describe(publication: Publication): Pruned {
  const { snapshotId, documents, bytes } = publication;
  return { snapshotId, asOf: asOf(publication), documents, bytes };
}

async function prune(parts: CommitParts, plans: readonly Plan[]): Promise<void> {
  const allowed = plans.filter(({ refused }) => refused === null);
  await commitToLog(parts, async (state) => {
    const drafts = [];
    for (const { history, due } of allowed) {
      const { workspaceId } = history;
      const now = await state.historyOf(workspaceId);
      const current = currentOf(now);
      const standing = new Set(
        now.publications
          .filter((each) => each.withdrawn === null && each !== current)
          .map((each) => each.snapshotId),
      );
      for (const { snapshotId } of due)
        if (standing.has(snapshotId))
          drafts.push({ kind: 'withdrawn', workspaceId, snapshotId, reason: 'pruned' } as const);
    }
    return { drafts };
  });
  const ids = allowed.map(({ history }) => history.workspaceId);
  for (const { workspaceId, publications } of await historiesOf(parts, ids))
    await deleteDocuments(
      parts.store,
      workspaceId,
      publications.filter(({ withdrawn }) => withdrawn?.reason === 'pruned').map((each) => each.snapshotId),
    );
}
