import { Failure } from '../../lib/failure.ts';
import { formatInstantExactly } from '../../lib/methodology/instant.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { readHead } from '../../snapshots/publish/head.ts';
import { WORKSPACES, brandsOf } from '../../snapshots/layout.ts';
import { mapConcurrently } from '../concurrency.ts';
import { failedWorkspace, isNewerThan } from './held-back.ts';
import { inShard } from './shard.ts';
import type { Shard } from './shard.ts';
import type { Unpublished } from './report/unpublished.ts';

export interface SelectionOptions {
  store: ObjectStore;
  asOf: Micros;
  /** Only these workspaces; all of them where it is absent. */
  workspaces?: readonly string[];
  shard?: Shard;
  allowShrink?: boolean;
}

export interface Selection {
  /** Ids of the workspaces to compute, ascending: the tracked ones, and those to be retired. */
  workspaces: string[];
  /** Those that are no longer tracked and keep the snapshot that they have. */
  unpublished: Unpublished[];
}

const READS_AT_ONCE = 16;

/**
 * The workspaces of a run: those that are tracked, and those that have a snapshot with brands and are no longer tracked.
 * @param tracked ids
 * @throws Failure that names workspaces which were asked for and are neither.
 */
export async function selectWorkspaces(
  tracked: readonly string[],
  options: SelectionOptions,
): Promise<Selection> {
  const { store, workspaces, shard, asOf, allowShrink } = options;
  const isSelected = (id: string) =>
    (workspaces === undefined || workspaces.includes(id)) && (shard === undefined || inShard(id, shard));
  const isTracked = new Set(tracked);
  const published = workspaces ?? (await store.folders(WORKSPACES));
  const others = published.filter((id) => !isTracked.has(id) && isSelected(id));
  const judged = await mapConcurrently(others, async (id) => await judgeUntracked(id, options), {
    limit: READS_AT_ONCE,
  });
  const unknown = others.filter((_, index) => judged[index] === 'unknown');
  if (workspaces !== undefined && unknown.length > 0) {
    throw new Failure(`workspace ${unknown.join(', ')} is not tracked as of ${formatInstantExactly(asOf)}`);
  }
  const untracked = judged.filter((each) => typeof each === 'object');
  const retired = allowShrink === true ? untracked.filter(({ reason }) => reason === 'untracked') : [];
  return {
    workspaces: [...tracked.filter(isSelected), ...retired.map(({ workspaceId }) => workspaceId)].toSorted(
      (a, b) => (a < b ? -1 : 1),
    ),
    unpublished: untracked.filter((each) => !retired.includes(each)),
  };
}

/**
 * `retired` has a snapshot without brands. `unknown` has no snapshot, or only one as of later: it may not have been
 * tracked yet.
 */
async function judgeUntracked(
  workspaceId: string,
  { store, asOf }: SelectionOptions,
): Promise<Unpublished | 'retired' | 'unknown'> {
  try {
    const { head } = await readHead(store, workspaceId, {});
    if (head === null) return 'unknown';
    const { manifest } = head;
    if (brandsOf(manifest.documents).size === 0) return 'retired';
    if (isNewerThan(manifest, asOf)) return 'unknown';
    const message = 'it is no longer tracked; --allow-shrink retires it';
    return { workspaceId, reason: 'untracked', message };
  } catch (error) {
    return failedWorkspace(workspaceId, error);
  }
}
