import { sha256 } from '../../../lib/hash.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { RunsObject } from '../../lake/ledger.ts';
import type { FutureRuns } from '../checks/future-runs.ts';
import type { FactNames } from './layout.ts';

/** A cycle with runs. */
export interface Cycle {
  date: string;
  objects: RunsObject[];
  /**
   * No run of it is later than the snapshot, so what it reduces to is valid for every later snapshot too; or those that
   * are have a wrong clock: then it is valid as long as as many are later.
   */
  isSettled: boolean;
  /** A hash of its run objects and of how many runs are later: a late delivery makes another. */
  content: string;
  /** A hash of those of all cycles up to and including this one. */
  chain: string;
}

/** A stored fact of one cycle, or the base of several. */
export interface Stored {
  prefix: string;
  /** The cycles of the history before its own. */
  cyclesBefore: number;
  /** Dates. */
  cycles: string[];
}

/** What to read from the lake: a base, facts, and raw runs for the cycles that are in neither. */
export interface Plan {
  /** In the order of time. */
  cycles: Cycle[];
  /** The cycles of the base; 0 without one. */
  baseCycles: number;
  stored: Stored[];
  /** Indexes of `cycles`. */
  unreduced: number[];
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
      return { date, objects, isSettled, content, chain };
    });
}

/** The longest stored base, the stored facts after it, and raw runs for the rest. */
export function planOf(cycles: Cycle[], { findBase, findFact }: FactNames): Plan {
  const unsettled = cycles.findIndex((cycle) => !cycle.isSettled);
  const settled = unsettled === -1 ? cycles : cycles.slice(0, unsettled);
  const baseCycles = settled.findLastIndex((cycle) => findBase(cycle) !== null) + 1;
  const plan: Plan = { cycles, baseCycles, stored: [], unreduced: [] };
  if (baseCycles > 0) {
    const prefix = findBase(cycles[baseCycles - 1]!)!;
    const dates = cycles.slice(0, baseCycles).map(({ date }) => date);
    plan.stored.push({ prefix, cyclesBefore: 0, cycles: dates });
  }
  for (const [cycleNo, cycle] of cycles.entries()) {
    if (cycleNo < baseCycles) continue;
    const prefix = cycle.isSettled ? findFact(cycle) : null;
    if (prefix === null) plan.unreduced.push(cycleNo);
    else plan.stored.push({ prefix, cyclesBefore: cycleNo, cycles: [cycle.date] });
  }
  return plan;
}
