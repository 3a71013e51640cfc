import type { Sightline } from 'sightline-client';
import { isStanding, weekBefore as weekBeforeIn } from 'sightline-client/weeks';
import { ToolError } from './result.ts';
import type { Origin } from './result.ts';

export type Snapshot = Awaited<ReturnType<Sightline['listSnapshots']>>['data'][number];

export interface Options {
  signal: AbortSignal;
}

/** The snapshots of the workspace and their as-of times. */
export interface Weeks {
  /** All snapshots, newest first, from the service. @throws ToolError if nothing was published. */
  list(options: Options): Promise<Snapshot[]>;
  /** Requests the list only for a snapshot that is not known yet. */
  originOf(snapshotId: string | null, options: Options): Promise<Origin>;
}

/** @param known the as-of times of current snapshots, by id: they never change, so that all callers may share them */
export function weeksOf(client: Pick<Sightline, 'listSnapshots'>, known: Map<string, string>): Weeks {
  const list = async (options: Options): Promise<Snapshot[]> => {
    const { data } = await client.listSnapshots(options);
    if (data.length === 0) throw nothingPublished();
    return data;
  };
  return {
    list,
    originOf: async (snapshotId, options) => {
      if (snapshotId === null) throw nothingPublished();
      const asOf = known.get(snapshotId) ?? (await list(options)).find(({ id }) => id === snapshotId)?.asOf;
      if (asOf === undefined)
        throw new ToolError('not_found', `the list of snapshots has no ${snapshotId} yet: call again`);
      known.set(snapshotId, asOf);
      return { snapshotId, asOf };
    },
  };
}

/** The API then has no brands, and responses name no snapshot. */
export function nothingPublished(): ToolError {
  return new ToolError('not_found', 'nothing was published for this workspace yet, or all was withdrawn');
}

/** The current snapshot; the newest if none is, because all were withdrawn. @param snapshots newest first */
export function currentOf(snapshots: readonly Snapshot[]): Snapshot {
  return snapshots.find(({ isCurrent }) => isCurrent) ?? snapshots[0]!;
}

/**
 * The snapshot with this id, or the one of the newest week as of a day or before it.
 * @param snapshots newest first
 * @param week an id, or YYYY-MM-DD
 * @throws ToolError if there is none, or if its documents are gone
 */
export function snapshotOf(snapshots: readonly Snapshot[], week: string): Snapshot {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(week);
  const found = isDay
    ? newestFirst(snapshots.filter(isStanding)).find(({ asOf }) => asOf.slice(0, 10) <= week)
    : snapshots.find(({ id }) => id === week);
  if (found === undefined) {
    const oldest = newestFirst(snapshots).at(-1)!.asOf.slice(0, 10);
    throw new ToolError(
      'not_found',
      isDay
        ? `no snapshot as of ${week} or before; the first is as of ${oldest}`
        : `no snapshot ${week}; list_snapshots has the ids`,
    );
  }
  const gone = { pruned: 'were removed on purpose', lost: 'were lost', mistaken: null }[
    found.withdrawn ?? 'mistaken'
  ];
  if (gone !== null)
    throw new ToolError('not_found', `the documents of ${found.id}, as of ${found.asOf}, ${gone}`);
  return found;
}

/** Where a result is from; a snapshot that the operator declared mistaken is named as such. */
export function originOf({ id, asOf, withdrawn }: Snapshot): Origin {
  return { snapshotId: id, asOf, ...(withdrawn === null ? {} : { withdrawn }) };
}

/** The snapshot of the newest week before that of a snapshot, of those that can be read. @throws ToolError if there is none */
export function weekBefore(snapshots: readonly Snapshot[], current: Snapshot): Snapshot {
  const found = weekBeforeIn(snapshots, current);
  if (found === null) throw new ToolError('not_found', 'no snapshot of an earlier week');
  return found;
}

/** Sorts by as-of time, newest first. Those of one as-of time stay in their order. */
function newestFirst(snapshots: readonly Snapshot[]): Snapshot[] {
  return snapshots.toSorted((a, b) => Date.parse(b.asOf) - Date.parse(a.asOf));
}
