import { sha256 } from '../../../lib/hash.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { RunsObject } from '../../lake/ledger.ts';
import type { FutureRuns } from '../checks/future-runs.ts';
import type { BaseNames, StoredBase } from './layout.ts';

/** A cycle with runs. */
export interface Cycle {
  date: string;
  /** Those that are read: none, if it has only runs of other shards. */
  objects: RunsObject[];
  /**
   * No run of it is later than the snapshot, so what it reduces to is valid for every later snapshot too; or those that
   * are have a wrong clock: then it is valid as long as as many are later.
   */
  isSettled: boolean;
  /**
   * A hash of the objects of all cycles up to and including this one, and of how many of their runs are later: a late
   * delivery makes another.
   */
  chain: string;
  /** The same hash of all run objects of the lake. */
  lakeChain: string;
}

/** What to read from the lake: a base, and the raw runs of all later cycles. */
export interface Plan {
  /** In the order of time. */
  cycles: Cycle[];
  /** Null without a base. */
  base: StoredBase | null;
  /** The cycles of the base: the first ones. */
  baseCycles: number;
}

/** @param runs all run objects of the lake, of which those in `read` are read */
export function cyclesOf(
  runs: readonly RunsObject[],
  read: readonly RunsObject[],
  asOf: Micros,
  hidden: FutureRuns['hidden'],
): Cycle[] {
  const isRead = new Set(read);
  const hashOf = (objects: readonly RunsObject[]) => {
    const hashes = objects.map(({ key, sha256: hash }) =>
      hidden.has(key) ? `${hash} without ${hidden.get(key)}` : hash,
    );
    return sha256(hashes.toSorted().join('\n'));
  };
  let [chain, lakeChain] = ['', ''];
  return [...Map.groupBy(runs, ({ cycleDate }) => cycleDate)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, all]) => {
      const objects = all.filter((object) => isRead.has(object));
      chain = sha256(`${chain}\n${date} ${hashOf(objects)}`);
      lakeChain = sha256(`${lakeChain}\n${date} ${hashOf(all)}`);
      const isSettled = objects.every(({ key, ranTo }) => BigInt(ranTo) <= asOf || hidden.has(key));
      return { date, objects, isSettled, chain, lakeChain };
    });
}

/** The longest stored base of settled cycles. */
export function planOf(cycles: Cycle[], { find }: BaseNames): Plan {
  const unsettled = cycles.findIndex((cycle) => !cycle.isSettled);
  const settled = unsettled === -1 ? cycles : cycles.slice(0, unsettled);
  const baseCycles = settled.findLastIndex((cycle) => find(cycle) !== null) + 1;
  return { cycles, base: baseCycles === 0 ? null : find(cycles[baseCycles - 1]!), baseCycles };
}
