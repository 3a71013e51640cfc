import { sha256 } from '../../../lib/hash.ts';
import type { Micros } from '../../../lib/instant.ts';
import type { Input } from '../state.ts';

/** Raised whenever the layout or the meaning of a stored fact changes: older ones are then left alone. */
const FACTS_VERSION = 1;
export const FACTS = `facts/v${FACTS_VERSION}/`;
export const BASES = `bases/v${FACTS_VERSION}/`;

/** The tables of a cycle's fact and of a base. The last of each is written last: it says that the others are there. */
export const factTables = ['naming', 'asking'] as const;
export const baseTables = ['naming', 'observed', 'scores', 'asked'] as const;

/** A cycle with runs. */
export interface Cycle {
  date: string;
  objects: Input[];
  /** No run of it is later than the snapshot, so that what it reduces to holds for every later snapshot too. */
  isSettled: boolean;
  /** Where its fact is stored; the name follows from the objects, so that a late delivery makes another one. */
  fact: string;
  /** Where the base of all cycles up to and including this one is stored. */
  base: string;
}

/** What to read of the lake: a base, the facts after it, and raw runs for the cycles that have no fact. */
export interface Plan {
  /** In the order of time; the base stands for the first `baseCycles` of them. */
  cycles: Cycle[];
  base: string | null;
  baseCycles: number;
  reduced: Cycle[];
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
        fact: `${FACTS}cycle=${date}/${content.slice(0, 16)}/`,
        base: `${BASES}through=${date}/${chain.slice(0, 16)}/`,
      };
    });
}

/** The longest stored base, the stored facts after it, and raw runs for the rest. */
export function planOf(cycles: Cycle[], stored: ReadonlySet<string>): Plan {
  const settled = cycles.findIndex((cycle) => !cycle.isSettled);
  const usable = settled === -1 ? cycles : cycles.slice(0, settled);
  const baseCycles = usable.findLastIndex((cycle) => stored.has(wholeBaseKey(cycle.base))) + 1;
  const rest = cycles.slice(baseCycles);
  const isReduced = (cycle: Cycle) => cycle.isSettled && stored.has(wholeFactKey(cycle.fact));
  return {
    cycles,
    base: baseCycles === 0 ? null : cycles[baseCycles - 1]!.base,
    baseCycles,
    reduced: rest.filter(isReduced),
    unreduced: rest.filter((cycle) => !isReduced(cycle)),
  };
}

export function tableKey(prefix: string, table: string): string {
  return `${prefix}${table}.parquet`;
}

export function wholeFactKey(fact: string): string {
  return tableKey(fact, factTables.at(-1)!);
}

export function wholeBaseKey(base: string): string {
  return tableKey(base, baseTables.at(-1)!);
}
