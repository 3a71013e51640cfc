import { compareText } from '../../lib/text.ts';
import type { BrandNames, Spelling } from './facts/brand-names.ts';

/** Who was named in one series, and in how many of its cycles; overwritten by the next one's. */
export interface SeriesNames {
  brandCycles: number;
  /** How many were named. */
  count: number;
  /** The first `count` are places in `entities`: most stable first, then by entity. */
  entity: Int32Array;
  /** In how many cycles each of them was named. */
  cycles: Int32Array;
}

export interface Identified {
  /** As JSON text. */
  entities: readonly string[];
  /** What a series holds, by its place. */
  namedIn(place: number): SeriesNames;
}

/** Tells who the spellings of a brand's series stand for (methodology, Stability). */
export function identify(names: BrandNames, competitors: ReadonlySet<string>): Identified {
  const forms = formsOf(names.spellings, competitors);
  const tally = tallyOf(names, forms);
  return {
    entities: forms.entities,
    namedIn(place) {
      for (let row = place === 0 ? 0 : names.ends[place - 1]!; row < names.ends[place]!; row++)
        tally.add(row);
      return tally.take();
    },
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
  const formNumbers = new Map<number, number>();
  const who: number[] = [];
  const entity: number[] = [];
  const ofSpelling = Int32Array.from(spellings, (spelling) => {
    const someone = numberIn(whoNumbers, whoIs(spelling, competitors));
    const entityNumber = entityNumbers.get(spelling.entity)!;
    const form = numberIn(formNumbers, someone * entities.length + entityNumber);
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

function numberIn<Key>(numbers: Map<Key, number>, key: Key): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  numbers.set(key, numbers.size);
  return numbers.size - 1;
}

interface Tally {
  add(row: number): void;
  /** What was added since the last time. */
  take(): SeriesNames;
}

const NONE = -1;

/** Adds up the rows of a series; its arrays are as long as a brand's forms, and only touched places are cleared. */
function tallyOf(names: BrandNames, { ofSpelling, who, whoCount, entity }: Forms): Tally {
  const entries = new Float64Array(who.length);
  const touched = new Int32Array(who.length);
  let touchedCount = 0;
  const cycles = names.cycles.map(() => new Int32Array(whoCount));
  const mostUsed = new Int32Array(whoCount).fill(NONE);
  const everyone = new Int32Array(whoCount);
  const sortKeys = new Float64Array(whoCount);
  const taken = {
    brandCycles: 0,
    count: 0,
    entity: new Int32Array(whoCount),
    cycles: new Int32Array(whoCount),
  };

  function isMoreUsed(form: number, than: number): boolean {
    if (than === NONE || entries[form]! > entries[than]!) return true;
    return entries[form] === entries[than] && entity[form]! < entity[than]!;
  }

  return {
    add(row) {
      const form = ofSpelling[names.spelling[row]!]!;
      if (entries[form] === 0) touched[touchedCount++] = form;
      entries[form]! += names.entries[row]!;
      const someone = who[form]!;
      for (let word = 0; word < cycles.length; word++) cycles[word]![someone]! |= names.cycles[word]![row]!;
    },
    take() {
      let count = 0;
      for (let index = 0; index < touchedCount; index++) {
        const form = touched[index]!;
        const someone = who[form]!;
        if (mostUsed[someone] === NONE) everyone[count++] = someone;
        if (isMoreUsed(form, mostUsed[someone]!)) mostUsed[someone] = form;
      }
      taken.brandCycles = countBits(cycles, BRAND);
      for (let index = 0; index < count; index++) {
        const someone = everyone[index]!;
        sortKeys[index] = entity[mostUsed[someone]!]! - countBits(cycles, someone) * ENTITIES;
        mostUsed[someone] = NONE;
        for (const word of cycles) word[someone] = 0;
      }
      for (let index = 0; index < touchedCount; index++) entries[touched[index]!] = 0;
      touchedCount = 0;
      sortFirst(sortKeys, count);
      for (let index = 0; index < count; index++) {
        const key = sortKeys[index]!;
        taken.cycles[index] = Math.ceil(-key / ENTITIES);
        taken.entity[index] = key + taken.cycles[index]! * ENTITIES;
      }
      taken.count = count;
      return taken;
    },
  };
}

/** Some 15 numbers, 400,000 times: the engine's own sort takes three times as long for so few. */
function sortFirst(keys: Float64Array, count: number): void {
  if (count > FEW) {
    keys.subarray(0, count).sort();
    return;
  }
  for (let index = 1; index < count; index++) {
    const key = keys[index]!;
    let to = index;
    for (; to > 0 && keys[to - 1]! > key; to--) keys[to] = keys[to - 1]!;
    keys[to] = key;
  }
}

const FEW = 40;

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
