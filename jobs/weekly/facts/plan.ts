import { sha256 } from '../../../lib/hash.ts';
import type { Micros } from '../../../lib/instant.ts';
import type { Input } from '../state.ts';

/** Raised whenever the layout or the meaning of a stored fact changes: older ones are then left alone. */
const FACTS_VERSION = 1;
export const FACTS = `facts/v${FACTS_VERSION}/`;
export const BASES = `bases/v${FACTS_VERSION}/`;

/** A cycle with runs, in the order of time. */
export interface Cycle {
  date: string;
  objects: Input[];
  /** No run of it is later than the snapshot, so that what it reduces to holds for every later snapshot too. */
  isSettled: boolean;
  /** Where its fact is stored; the name follows from the objects, so that a late delivery makes another one. */
  factKey: string;
  /** Where the base of all cycles up to and including this one is stored. */
  baseKey: string;
}

/** What to read of the lake. */
export interface Plan {
  cycles: Cycle[];
  /** The base to start from, or null; it stands for the first `baseCycles` cycles. */
  baseKey: string | null;
  baseCycles: number;
  /** Cycles after the base whose fact is stored. */
  reduced: Cycle[];
  /** Cycles after the base that have to be reduced from raw runs. */
  unreduced: Cycle[];
}

export function cyclesOf(runs: readonly Input[], asOf: Micros): Cycle[] {
  const byDate = Map.groupBy(runs, (object) => object.cycleDate!);
  let chain = '';
  return [...byDate]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([date, objects]) => {
      const content = sha256(
        objects
          .map((object) => object.sha256)
          .toSorted()
          .join('\n'),
      );
      chain = sha256(`${chain}\n${date} ${content}`);
      return {
        date,
        objects,
        isSettled: objects.every((object) => object.ranTo !== undefined && BigInt(object.ranTo) <= asOf),
        factKey: `${FACTS}cycle=${date}/${content.slice(0, 16)}.parquet`,
        baseKey: `${BASES}through=${date}/${chain.slice(0, 16)}`,
      };
    });
}

/** The longest stored base, the stored facts after it, and raw runs for the rest. */
export function planOf(cycles: Cycle[], stored: ReadonlySet<string>): Plan {
  const settled = cycles.findIndex((cycle) => !cycle.isSettled);
  const usable = settled === -1 ? cycles : cycles.slice(0, settled);
  const baseCycles = usable.findLastIndex((cycle) => stored.has(scoresKey(cycle.baseKey))) + 1;
  const rest = cycles.slice(baseCycles);
  const isReduced = (cycle: Cycle) => cycle.isSettled && stored.has(cycle.factKey);
  return {
    cycles,
    baseKey: baseCycles === 0 ? null : cycles[baseCycles - 1]!.baseKey,
    baseCycles,
    reduced: rest.filter(isReduced),
    unreduced: rest.filter((cycle) => !isReduced(cycle)),
  };
}

export function seriesKey(baseKey: string): string {
  return `${baseKey}/series.parquet`;
}

/** Written after the series, so that its presence says that the base is whole. */
export function scoresKey(baseKey: string): string {
  return `${baseKey}/scores.parquet`;
}
