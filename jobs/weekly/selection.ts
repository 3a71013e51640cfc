import { Failure } from '../../lib/failure.ts';
import { formatInstantExactly } from '../../lib/methodology/instant.ts';
import type { Micros } from '../../lib/methodology/instant.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { currentOf } from '../../snapshots/log/history.ts';
import type { LogState } from '../../snapshots/log/write/state.ts';
import type { Week } from './week.ts';
import { failedWorkspace, isNewerThan } from './held-back.ts';
import type { HoldBackRules } from './held-back.ts';
import { inShard } from './shard.ts';
import type { Shard } from './shard.ts';
import type { Unpublished } from './report/outcome.ts';

export interface SelectionOptions extends Pick<HoldBackRules, 'allowShrink'> {
  asOf: Micros;
  /** Only these workspaces (default: all). */
  workspaces?: readonly string[] | undefined;
  /** Only this shard. */
  shard?: Shard | undefined;
}

export interface Selection {
  /** Ids of the workspaces to compute, ascending: the tracked ones, and those to be retired. */
  workspaces: string[];
  /** Workspaces that are no longer tracked and keep their snapshot. */
  unpublished: Unpublished[];
}

/**
 * The workspaces of a run: those that are tracked, and those that the log has with brands and that are no longer tracked.
 * @throws Failure that names workspaces which were asked for and are neither.
 */
export async function selectWorkspaces(
  tracked: Week['tracked'],
  published: LogState,
  options: SelectionOptions,
): Promise<Selection> {
  const { workspaces, shard, asOf, allowShrink } = options;
  const isSelected = (id: string) =>
    (workspaces === undefined || workspaces.includes(id)) && (shard === undefined || inShard(id, shard));
  const known = workspaces ?? [...published.heads.keys()];
  const others = known.filter((id) => !tracked.has(id) && isSelected(id));
  const judged = await manyAtOnce(others, async (id) => await judgeUntracked(id, published, options));
  const unknown = others.filter((_, index) => judged[index] === 'unknown');
  if (workspaces !== undefined && unknown.length > 0) {
    throw new Failure(`workspace ${unknown.join(', ')} is not tracked as of ${formatInstantExactly(asOf)}`);
  }
  const untracked = judged.filter((each) => typeof each === 'object');
  const isRetired = ({ reason }: Unpublished) => allowShrink === true && reason === 'untracked';
  const retired = untracked.filter(isRetired).map(({ workspaceId }) => workspaceId);
  return {
    workspaces: [...tracked.keys().filter(isSelected), ...retired].toSorted(),
    unpublished: untracked.filter((each) => !isRetired(each)),
  };
}

/**
 * `retired` has a snapshot without brands. `unknown` has no snapshot, or only one as of later: it may not have been
 * tracked yet.
 */
async function judgeUntracked(
  workspaceId: string,
  published: LogState,
  { asOf }: SelectionOptions,
): Promise<Unpublished | 'retired' | 'unknown'> {
  try {
    const current = currentOf(await published.historyOf(workspaceId));
    if (current === null) return 'unknown';
    if (current.brands === 0) return 'retired';
    if (isNewerThan(current, asOf)) return 'unknown';
    const message = 'it is no longer tracked; --allow-shrink retires it';
    return { workspaceId, reason: 'untracked', message };
  } catch (error) {
    return failedWorkspace(workspaceId, error);
  }
}
