import { compareText } from '../../lib/text.ts';
import type { BrandNames, Spelling } from './facts/brand-names.ts';

/** Who was named in one series, and in how many of its cycles. */
export interface SeriesNames {
  brandCycles: number;
  /** Most stable first, then by entity; as JSON text. */
  entities: readonly string[];
  /** In how many cycles each of them was named. */
  cycles: readonly number[];
}

/**
 * Tells who the spellings of a brand's series stand for (methodology, Stability). Returns what a series holds, by its
 * place.
 */
export function identify(
  names: BrandNames,
  competitors: ReadonlySet<string>,
): (place: number) => SeriesNames {
  const forms = formsOf(names.spellings, competitors);
  const tally = tallyOf(forms);
  return (place) => {
    for (let row = place === 0 ? 0 : names.ends[place - 1]!; row < names.ends[place]!; row++)
      tally.add(names, row);
    return tally.take();
  };
}

/** A *form* is somebody by one entity: spellings that differ in white space alone are of one form. All by number. */
interface Forms {
  ofSpelling: Int32Array;
  /** Of each form, who it stands for. */
  who: readonly number[];
  whoCount: number;
  /** Of each form, its place in `entities`. */
  entity: readonly number[];
  /** As JSON text, by code point. */
  entities: readonly string[];
}

const BRAND = 0;

function formsOf(spellings: readonly Spelling[], competitors: ReadonlySet<string>): Forms {
  const entities = [...new Set(spellings.map(({ entity }) => entity))].toSorted(compareText);
  const entityNumbers = new Map(entities.map((entity, number) => [entity, number]));
  const whoNumbers = new Map<string, number>([['brand', BRAND]]);
  const formNumbers = new Map<string, number>();
  const who: number[] = [];
  const entity: number[] = [];
  const ofSpelling = Int32Array.from(spellings, (spelling) => {
    const someone = numberIn(whoNumbers, whoIs(spelling, competitors));
    const entityNumber = entityNumbers.get(spelling.entity)!;
    const form = numberIn(formNumbers, `${someone} ${entityNumber}`);
    who[form] = someone;
    entity[form] = entityNumber;
    return form;
  });
  return {
    ofSpelling,
    who,
    whoCount: whoNumbers.size,
    entity,
    entities: entities.map((text) => JSON.stringify(text)),
  };
}

/** The brand, a tracked competitor, or, for everything else, its own text: a key that tells them apart. */
function whoIs({ subject, competitorId, folded }: Spelling, competitors: ReadonlySet<string>): string {
  if (subject === 'brand') return 'brand';
  if (competitorId !== null && competitors.has(competitorId)) return `competitor ${competitorId}`;
  return `other ${folded}`;
}

function numberIn(numbers: Map<string, number>, key: string): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

interface Tally {
  add(names: BrandNames, row: number): void;
  /** What was added since the last time. */
  take(): SeriesNames;
}

const NONE = -1;

/** Adds up the rows of a series; its arrays are as long as a brand's forms, and only touched places are cleared. */
function tallyOf({ ofSpelling, who, whoCount, entity, entities }: Forms): Tally {
  const entries = new Float64Array(who.length);
  const touched: number[] = [];
  const cycles: Int32Array[] = [];
  const mostUsed = new Int32Array(whoCount).fill(NONE);
  const everyone = new Int32Array(whoCount);
  const sortKeys = new Float64Array(whoCount);

  function isMoreUsed(form: number, than: number): boolean {
    if (than === NONE || entries[form]! > entries[than]!) return true;
    return entries[form] === entries[than] && entity[form]! < entity[than]!;
  }

  return {
    add(names, row) {
      const form = ofSpelling[names.spelling[row]!]!;
      if (entries[form] === 0) touched.push(form);
      entries[form]! += names.entries[row]!;
      for (let word = 0; word < names.cycles.length; word++) {
        const cyclesOf = (cycles[word] ??= new Int32Array(whoCount));
        cyclesOf[who[form]!]! |= names.cycles[word]![row]!;
      }
    },
    take() {
      let named = 0;
      for (const form of touched) {
        const someone = who[form]!;
        if (mostUsed[someone] === NONE) everyone[named++] = someone;
        if (isMoreUsed(form, mostUsed[someone]!)) mostUsed[someone] = form;
      }
      const brandCycles = countBits(cycles, BRAND);
      const keys = sortKeys.subarray(0, named);
      for (let index = 0; index < named; index++) {
        const someone = everyone[index]!;
        keys[index] = entity[mostUsed[someone]!]! - countBits(cycles, someone) * ENTITIES;
        mostUsed[someone] = NONE;
        for (const word of cycles) word[someone] = 0;
      }
      for (const form of touched) entries[form] = 0;
      touched.length = 0;
      return { brandCycles, ...unpackKeys(keys.toSorted(), entities) };
    },
  };
}

function unpackKeys(
  keys: Float64Array,
  entities: readonly string[],
): Pick<SeriesNames, 'entities' | 'cycles'> {
  const unpacked = { entities: [] as string[], cycles: [] as number[] };
  for (const key of keys) {
    const cycles = Math.ceil(-key / ENTITIES);
    unpacked.cycles.push(cycles);
    unpacked.entities.push(entities[key + cycles * ENTITIES]!);
  }
  return unpacked;
}

/** More than a brand has, so that cycles and entity fit into one number that sorts by itself. */
const ENTITIES = 2 ** 31;

function countBits(words: readonly Int32Array[], at: number): number {
  let count = 0;
  for (const word of words) {
    let bits = word[at]!;
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}
