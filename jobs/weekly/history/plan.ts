import { sha256 } from '../../../lib/hash.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { RunsObject } from '../../lake/ledger.ts';
import type { FutureRuns } from '../checks/future-runs.ts';
import type { BaseNames } from './layout.ts';

/** A cycle with runs. */
export interface Cycle {
  date: string;
  objects: RunsObject[];
  /**
   * No run of it is later than the snapshot, so what it reduces to is valid for every later snapshot too; or those that
   * are have a wrong clock: then it is valid as long as as many are later.
   */
  isSettled: boolean;
  /**
   * A hash of the run objects of all cycles up to and including this one, and of how many of their runs are later: a late
   * delivery makes another.
   */
  chain: string;
}

/** What to read from the lake: a base, and the raw runs of all later cycles. */
export interface Plan {
  /** In the order of time. */
  cycles: Cycle[];
  /** Null without a base. */
  basePrefix: string | null;
  /** The cycles of the base: the first ones. */
  baseCycles: number;
}

export function cyclesOf(runs: readonly RunsObject[], asOf: Micros, hidden: FutureRuns['hidden']): Cycle[] {
  const byDate = Map.groupBy(runs, ({ cycleDate }) => cycleDate);
  let chain = '';
  return [...byDate]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, objects]) => {
      const hashes = objects
        .map(({ key, sha256: hash }) => (hidden.has(key) ? `${hash} without ${hidden.get(key)}` : hash))
        .toSorted();
      const content = sha256(hashes.join('\n'));
      chain = sha256(`${chain}\n${date} ${content}`);
      const isSettled = objects.every(({ key, ranTo }) => BigInt(ranTo) <= asOf || hidden.has(key));
      return { date, objects, isSettled, chain };
    });
}

/** The longest stored base of settled cycles. */
export function planOf(cycles: Cycle[], { find }: BaseNames): Plan {
  const unsettled = cycles.findIndex((cycle) => !cycle.isSettled);
  const settled = unsettled === -1 ? cycles : cycles.slice(0, unsettled);
  const baseCycles = settled.findLastIndex((cycle) => find(cycle) !== null) + 1;
  return { cycles, basePrefix: baseCycles === 0 ? null : find(cycles[baseCycles - 1]!), baseCycles };
}
