/** What a list of snapshots says of one. */
export interface WeekFacts {
  /** The instant as of which it was computed, UTC. */
  asOf: string;
  /** Why it was withdrawn; null if it was not. */
  withdrawn: string | null;
}

/** The Monday of the week (Monday to Sunday, UTC) of an instant, as `YYYY-MM-DD`. */
export function mondayOf(asOf: string): string {
  const day = new Date(`${asOf.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  return day.toISOString().slice(0, 10);
}

/**
 * True if a snapshot stands for its week: it was not declared mistaken or lost. One whose documents were pruned on purpose
 * stands, and cannot be read.
 */
export function isStanding({ withdrawn }: WeekFacts): boolean {
  return withdrawn === null || withdrawn === 'pruned';
}

/**
 * The one snapshot of each week: of those that stand, the one that was published last. Newest week first.
 * @param snapshots newest publication first, as the API lists them
 */
export function lastOfEachWeek<Snapshot extends WeekFacts>(snapshots: readonly Snapshot[]): Snapshot[] {
  const byWeek = new Map<string, Snapshot>();
  for (const snapshot of snapshots.filter(isStanding)) {
    const week = mondayOf(snapshot.asOf);
    if (!byWeek.has(week)) byWeek.set(week, snapshot);
  }
  const newestFirst = [...byWeek].toSorted(([a], [b]) => Date.parse(b) - Date.parse(a));
  return newestFirst.map(([, snapshot]) => snapshot);
}

/**
 * The snapshot of the newest week before that of another one, of those whose documents are there; null if there is none.
 * @param snapshots newest publication first
 */
export function weekBefore<Snapshot extends WeekFacts>(
  snapshots: readonly Snapshot[],
  { asOf }: Pick<WeekFacts, 'asOf'>,
): Snapshot | null {
  const readable = lastOfEachWeek(snapshots).filter(({ withdrawn }) => withdrawn === null);
  return readable.find((other) => mondayOf(other.asOf) < mondayOf(asOf)) ?? null;
}
