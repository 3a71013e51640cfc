import { sha256 } from '../../../lib/hash.ts';
import type { Micros } from '../../../lib/instant.ts';
import { duckdbVersion } from '../../duckdb.ts';
import type { Input } from '../state.ts';

/**
 * Raised whenever the layout or the meaning of a stored fact changes: older ones are then left alone. DuckDB's version
 * is part of it because its tables of Unicode decide what is tidy and lower case.
 */
const FACTS_VERSION = `v4-duckdb-${duckdbVersion()}`;
export const FACTS = `facts/${FACTS_VERSION}/`;
export const BASES = `bases/${FACTS_VERSION}/`;

/** The scope of facts about all brands, also those that are not tracked. */
export const ALL = 'all';

/** A cycle with runs. */
export interface Cycle {
  date: string;
  objects: Input[];
  /** No run of it is later than the snapshot, so that what it reduces to holds for every later snapshot too. */
  isSettled: boolean;
  /** Where its facts are stored, one for each scope; the name follows from the objects: a late delivery makes another. */
  facts: string;
  /** Where the bases of all cycles up to and including this one are stored. */
  bases: string;
}

/** What the lake holds of the cycles from `firstCycle` on: the fact of one, or the base of several. */
export interface Stored {
  prefix: string;
  firstCycle: number;
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
        facts: `${FACTS}cycle=${date}/${content.slice(0, 16)}/`,
        bases: `${BASES}through=${date}/${chain.slice(0, 16)}/`,
      };
    });
}

/**
 * The longest stored base, the stored facts after it, and raw runs for the rest. What is stored about all brands serves
 * every scope.
 * @param keys of the objects below {@link FACTS} and {@link BASES}
 */
export function planOf(cycles: Cycle[], keys: ReadonlySet<string>, scope: string): Plan {
  const settled = cycles.findIndex((cycle) => !cycle.isSettled);
  const usable = settled === -1 ? cycles : cycles.slice(0, settled);
  const find = (folder: string): string | undefined =>
    [scope, ALL].map((name) => `${folder}${name}/`).find((prefix) => keys.has(namesKey(prefix)));
  const baseCycles = usable.findLastIndex(({ bases }) => find(bases) !== undefined) + 1;
  const plan: Plan = { cycles, baseCycles, stored: [], unreduced: [] };
  if (baseCycles > 0) plan.stored.push({ prefix: find(cycles[baseCycles - 1]!.bases)!, firstCycle: 0 });
  for (let firstCycle = baseCycles; firstCycle < cycles.length; firstCycle++) {
    const { isSettled, facts } = cycles[firstCycle]!;
    const prefix = isSettled ? find(facts) : undefined;
    if (prefix === undefined) plan.unreduced.push(firstCycle);
    else plan.stored.push({ prefix, firstCycle });
  }
  return plan;
}

export function scoresKey(prefix: string): string {
  return `${prefix}scores.parquet`;
}

/** Written after the scores: it says that they are there. */
export function namesKey(prefix: string): string {
  return `${prefix}names.bin`;
}
