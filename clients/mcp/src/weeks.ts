import type { Sightline } from 'sightline-client';
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

/** Before the first snapshot the API has no brands, and responses name no snapshot. */
export function nothingPublished(): ToolError {
  return new ToolError('not_found', 'nothing was published for this workspace yet');
}

/**
 * The snapshot with this id, or the newest one as of a day or before it.
 * @param snapshots newest first
 * @param week an id, or YYYY-MM-DD
 * @throws ToolError if there is none, or if its documents were removed
 */
export function snapshotOf(snapshots: readonly Snapshot[], week: string): Snapshot {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(week);
  const found = isDay
    ? newestFirst(snapshots).find(({ asOf }) => asOf.slice(0, 10) <= week)
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
  if (found.isPruned)
    throw new ToolError(
      'not_found',
      `the documents of ${found.id}, as of ${found.asOf}, were removed on purpose`,
    );
  return found;
}

/** The last snapshot published of the newest week before that of a snapshot. @throws ToolError if there is none */
export function weekBefore(snapshots: readonly Snapshot[], { asOf }: Snapshot): Snapshot {
  const earlier = snapshots.filter((other) => !other.isPruned && mondayOf(other.asOf) < mondayOf(asOf));
  const newest = earlier.map((other) => mondayOf(other.asOf)).reduce((a, b) => (a > b ? a : b), '');
  const found = earlier.find((other) => mondayOf(other.asOf) === newest);
  if (found === undefined) throw new ToolError('not_found', 'no snapshot of an earlier week');
  return found;
}

/** Sorts by as-of time, then by publication time, newest first. */
function newestFirst(snapshots: readonly Snapshot[]): Snapshot[] {
  return snapshots.toSorted((a, b) => (a.asOf < b.asOf ? 1 : a.asOf > b.asOf ? -1 : 0));
}

/** The Monday of the week of an instant, UTC, as `YYYY-MM-DD`. */
function mondayOf(asOf: string): string {
  const day = new Date(`${asOf.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}
