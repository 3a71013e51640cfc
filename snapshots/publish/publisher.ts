import pLimit from 'p-limit';
import { asOf, currentOf, findPublication } from '../log/history.ts';
import type { History, Publication } from '../log/history.ts';
import { commitToLog, prepareCommit } from '../log/write/commit.ts';
import type { CommitParts, Draft } from '../log/write/commit.ts';
import type { LogState } from '../log/write/state.ts';
import { withCommitted } from '../log/write/committed.ts';
import { Failure } from '../../lib/failure.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { HEADS, headsKey, historiesPrefix, historyKey, manifestKey } from '../layout.ts';
import { dropReplaced } from './replaced.ts';
import { describeSnapshot, draftOf, writeSnapshot } from './write-snapshot.ts';
import type { Described, SnapshotContent } from './write-snapshot.ts';

export interface Published {
  snapshotId: string;
  /** False if this snapshot was published before. */
  isNew: boolean;
  brands: number;
  documents: number;
  bytes: number;
}

/** The snapshot that a new one would replace; null if there is none. */
export type Current = Publication | null;

/**
 * Judges the snapshot that the new one would replace; asked before anything is written, and again by the commit. Null: no
 * objection.
 */
export type ObjectionTo<Objection> = (current: Current) => Objection | null;

/** What became of a workspace. `withdrawn`: this very snapshot was published, and withdrawn by the operator. */
export type PublishOutcome<Objection> =
  | { published: Published }
  | { objection: Objection }
  | { withdrawn: Publication }
  | { error: unknown };

/** Publishes snapshots of many workspaces, many in one commit. */
export interface Publisher<Objection> {
  /** What is committed now: the snapshots that are current. */
  state: LogState;
  /** Writes a snapshot; it is published by one of the next commits. Resolves when its objects are written. */
  add(content: SnapshotContent, objectionTo: ObjectionTo<Objection>): Promise<void>;
  /** Commits what is left. @returns what became of each workspace, in the order of `add` */
  finish(): Promise<WorkspaceOutcome<Objection>[]>;
}

export interface WorkspaceOutcome<Objection> {
  workspaceId: string;
  outcome: PublishOutcome<Objection>;
}

interface Waiting<Objection> {
  described: Described;
  /** How many snapshots of the workspace had been removed before its objects were written. */
  removed: number;
  objectionTo: ObjectionTo<Objection>;
  /** When it was added. */
  since: number;
}

/** A commit is due after this number of workspaces, bytes of manifests, or this time. */
const usualLimits = { workspaces: 1000, bytes: 16_000_000, waitMs: 30_000 };

/**
 * Completes what a killed commit left, before anything else.
 * @throws Failure if nothing may be published: lake, store and key do not belong together.
 */
export async function openPublisher<Objection = never>(
  parts: CommitParts,
  limits: Partial<typeof usualLimits> = {},
): Promise<Publisher<Objection>> {
  const { store, clock } = parts;
  const most = { ...usualLimits, ...limits };
  const state = await withCommitted(parts, async (committed) => await prepareCommit(parts, committed));
  const outcomes = new Map<string, PublishOutcome<Objection> | null>();
  const writtenInputs = new Set<string>();
  let waiting: Waiting<Objection>[] = [];
  const inTurn = pLimit(1);

  const commit = async () => {
    const batch = waiting.toSorted(byWorkspace);
    waiting = [];
    try {
      for (const [id, outcome] of await commitBatch(parts, batch)) outcomes.set(id, outcome);
    } catch (error) {
      for (const { described } of batch) outcomes.set(described.manifest.workspaceId, { error });
    }
  };

  // Asked when a snapshot has been added.
  const isDue = () =>
    waiting.length >= most.workspaces ||
    waiting.map(({ described }) => described.bytes.length).reduce((sum, bytes) => sum + bytes) >=
      most.bytes ||
    clock.now() - waiting[0]!.since >= most.waitMs;

  return {
    state,
    async add(content, objectionTo) {
      const { workspaceId } = content;
      outcomes.set(workspaceId, null); // keeps its place
      try {
        const described = describeSnapshot(content);
        const history = await state.historyOf(workspaceId);
        const refused = judge(history, described, objectionTo);
        outcomes.set(workspaceId, refused);
        if (refused !== null && !(await isLost(store, history, described))) return;
        await writeSnapshot(store, described, content.documents, writtenInputs);
        const newest = state.heads.get(workspaceId);
        if (newest !== undefined)
          await dropReplaced(store, historiesPrefix(workspaceId), historyKey(workspaceId, newest), clock);
        waiting.push({ described, objectionTo, removed: removedIn(history), since: clock.now() });
      } catch (error) {
        outcomes.set(workspaceId, { error });
        return;
      }
      if (isDue()) await inTurn(commit);
    },
    async finish() {
      await inTurn(commit);
      if (state.committed !== null) await dropReplaced(store, HEADS, headsKey(state.committed.heads), clock);
      return [...outcomes].map(([workspaceId, outcome]) => ({ workspaceId, outcome: outcome! }));
    },
  };
}

function byWorkspace(a: Waiting<unknown>, b: Waiting<unknown>): number {
  return compareText(a.described.manifest.workspaceId, b.described.manifest.workspaceId);
}

/** True if this very snapshot is published, and an older copy of the store that was put back does not have it. */
async function isLost(store: ObjectStore, history: History, { manifest, manifestSha256 }: Described) {
  const { workspaceId, snapshotId } = manifest;
  const known = findPublication(history, snapshotId);
  if (known?.manifestSha256 !== manifestSha256 || known.withdrawn !== null) return false;
  return (await store.get(manifestKey(workspaceId, snapshotId, manifestSha256))) === null;
}

function removedIn({ publications }: History): number {
  return publications.filter(({ withdrawn }) => withdrawn?.reason === 'removed').length;
}

/** Null if the snapshot may be published. */
function judge<Objection>(
  history: History,
  described: Described,
  objectionTo: ObjectionTo<Objection>,
): PublishOutcome<Objection> | null {
  const objection = objectionTo(currentOf(history));
  if (objection !== null) return { objection };
  const { snapshotId } = described.manifest;
  const known = findPublication(history, snapshotId);
  if (known === undefined) return null;
  if (known.withdrawn !== null) return { withdrawn: known };
  const current = currentOf(history);
  if (known !== current && current !== null && asOf(known) === asOf(current))
    return {
      error: new Failure(
        `snapshot ${snapshotId} was published before ${current.snapshotId}, and cannot be again: "audit withdraw ${current.snapshotId} --reason mistaken" makes it current`,
      ),
    };
  const { brands, documents, bytes } = draftOf(described);
  return { published: { snapshotId, isNew: false, brands, documents, bytes } };
}

/** @returns the outcome of each workspace */
async function commitBatch<Objection>(
  parts: CommitParts,
  batch: readonly Waiting<Objection>[],
): Promise<Map<string, PublishOutcome<Objection>>> {
  const outcomes = new Map<string, PublishOutcome<Objection>>();
  await commitToLog(parts, async (state) => {
    const drafts: Draft[] = [];
    // One after the other, a thousand reads of S3 take 20 seconds.
    const histories = await manyAtOnce(
      batch,
      async ({ described: { manifest } }) => await state.historyOf(manifest.workspaceId),
    );
    for (const [index, { described, objectionTo, removed }] of batch.entries()) {
      const { workspaceId, snapshotId } = described.manifest;
      const history = histories[index]!;
      // Then what was written may be deleted already: an entry must not name it.
      const isRemoved = removedIn(history) > removed;
      const refused = isRemoved
        ? { error: new Failure(`workspace ${workspaceId} was removed meanwhile`) }
        : judge(history, described, objectionTo);
      if (refused !== null) {
        outcomes.set(workspaceId, refused);
        continue;
      }
      const draft = draftOf(described);
      drafts.push(draft);
      const { brands, documents, bytes } = draft;
      outcomes.set(workspaceId, { published: { snapshotId, isNew: true, brands, documents, bytes } });
    }
    return { drafts };
  });
  return outcomes;
}
