import { sha256 } from '../../../lib/hash.ts';
import type { Micros } from '../../../lib/methodology/instant.ts';
import type { Input } from '../inputs/state.ts';
import type { FactNames } from './layout.ts';

/** A cycle with runs. */
export interface Cycle {
  date: string;
  objects: Input[];
  /** No run of it is later than the snapshot, so that what it reduces to holds for every later snapshot too. */
  isSettled: boolean;
  /** A hash of its run objects: a late delivery makes another. */
  content: string;
  /** A hash of those of all cycles up to and including this one. */
  chain: string;
}

/** What the lake has of the cycles from `firstCycle` on: the fact of one, or the base of several. */
export interface Stored {
  prefix: string;
  firstCycle: number;
  cycleCount: number;
}

/** What to read of the lake: a base and facts, and raw runs for the cycles that neither stands for. */
export interface Plan {
  /** In the order of time. */
  cycles: Cycle[];
  /** The cycles that the base stands for, 0 where there is none. */
  baseCycles: number;
  stored: Stored[];
  /** Places in `cycles`. */
  unreduced: number[];
}

export function cyclesOf(runs: readonly Input[], asOf: Micros): Cycle[] {
  const byDate = Map.groupBy(runs, (object) => object.cycleDate!);
  let chain = '';
  return [...byDate]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, objects]) => {
      const hashes = objects.map((object) => object.sha256).toSorted();
      const content = sha256(hashes.join('\n'));
      chain = sha256(`${chain}\n${date} ${content}`);
      const isSettled = objects.every(({ ranTo }) => ranTo !== undefined && BigInt(ranTo) <= asOf);
      return { date, objects, isSettled, content, chain };
    });
}

/**
 * The longest stored base, the stored facts after it, and raw runs for the rest.
 * @param damaged prefixes of what cannot be used
 */
export function planOf(
  cycles: Cycle[],
  { findBase, findFact }: Pick<FactNames, 'findBase' | 'findFact'>,
  damaged: ReadonlySet<string>,
): Plan {
  const usable = (prefix: string | null) => (prefix === null || damaged.has(prefix) ? null : prefix);
  const settled = cycles.findIndex((cycle) => !cycle.isSettled);
  const whole = settled === -1 ? cycles : cycles.slice(0, settled);
  const baseCycles = whole.findLastIndex((cycle) => usable(findBase(cycle)) !== null) + 1;
  const plan: Plan = { cycles, baseCycles, stored: [], unreduced: [] };
  if (baseCycles > 0) {
    const prefix = findBase(cycles[baseCycles - 1]!)!;
    plan.stored.push({ prefix, firstCycle: 0, cycleCount: baseCycles });
  }
  for (let firstCycle = baseCycles; firstCycle < cycles.length; firstCycle++) {
    const cycle = cycles[firstCycle]!;
    const prefix = cycle.isSettled ? usable(findFact(cycle)) : null;
    if (prefix === null) plan.unreduced.push(firstCycle);
    else plan.stored.push({ prefix, firstCycle, cycleCount: 1 });
  }
  return plan;
}
