import type { Placement } from '../../lib/documents/index.ts';
import { byteWriter } from '../../lib/byte-writer.ts';
import { roundRatio } from '../../lib/exact.ts';
import { CORE_SIZE, MIN_CYCLES, engineSlugs } from '../../lib/methodology.ts';
import { ENGINES_IN_SERIES } from './facts/brand-names.ts';
import type { BrandNames } from './facts/brand-names.ts';
import { identify } from './identify.ts';
import type { SeriesNames } from './identify.ts';
import type { BrandRow, CompetitorRow, PromptRow } from './rows.ts';

/** What of a brand's rows the stability document is made from. */
export interface StabilityRows {
  brand: Pick<BrandRow, 'id' | 'name' | 'domain'>;
  /** The active ones, in the order of the document. */
  prompts: readonly StabilityPrompt[];
  competitors: readonly Pick<CompetitorRow, 'id'>[];
}

type StabilityPrompt = Pick<PromptRow, 'id' | 'text'>;

/**
 * The stability document (spec 2.5; methodology, Stability), in the canonical form of `encodeDocument`. It is written
 * from integers, because it holds nine tenths of all bytes: as objects, checked and then spelled, it took five times as
 * long. A test holds it against the schema.
 */
export function stabilityDocument(
  { brand: { id, name, domain }, prompts, competitors }: StabilityRows,
  names: BrandNames | null,
): Uint8Array<ArrayBuffer> {
  const reference = JSON.stringify({ id, name, domain });
  writer.addText(`{"data":{"brand":${reference},"minCycles":${MIN_CYCLES},"prompts":[`);
  if (names !== null) addPrompts(prompts, names, new Set(competitors.map((competitor) => competitor.id)));
  writer.addText(']}}\n');
  return writer.take();
}

/** One for the thread, so that its memory is used again. */
const writer = byteWriter();

function addPrompts(
  prompts: readonly StabilityPrompt[],
  names: BrandNames,
  competitors: ReadonlySet<string>,
): void {
  const numbers = new Map(names.prompts.map((id, number) => [id, number]));
  const places = new Int32Array(names.prompts.length * ENGINES_IN_SERIES).fill(NOWHERE);
  for (const [place, series] of names.series.entries()) places[series] = place;
  const identified = identify(names, competitors);
  const pieces = piecesOf(identified.entities);
  let promptComma = '';
  for (const { id, text } of prompts) {
    const prompt = numbers.get(id);
    if (prompt === undefined) continue;
    writer.addText(`${promptComma}{"promptId":"${id}","promptText":${JSON.stringify(text)},"engines":[`);
    promptComma = ',';
    let isFirst = true;
    for (let engine = 0; engine < ENGINES_IN_SERIES; engine++) {
      const place = places[prompt * ENGINES_IN_SERIES + engine]!;
      if (place === NOWHERE) continue;
      if (!isFirst) writer.add(COMMA);
      isFirst = false;
      addEngine(engine, names.observed[place]!, identified.namedIn(place), pieces);
    }
    writer.addText(']}');
  }
}

const NOWHERE = -1;
const COMMA = Buffer.from(',');
const CAROUSEL = Buffer.from('],"carousel":[');
const END_OF_ENGINE = Buffer.from(']}');

/** What a document says in many places, each piece spelled once. */
interface Pieces {
  /** An engine, up to its core. */
  engine(engine: number, brandCycles: number, observed: number): Uint8Array;
  /** A name, with a comma before it: a brand has some 200 of them in 3,000 places. */
  name(entity: number, cycles: number, observed: number): Uint8Array;
}

/** @param entities as JSON text */
function piecesOf(entities: readonly string[]): Pieces {
  return {
    engine: spelledOnce(
      ENGINES_IN_SERIES,
      (engine, brandCycles, observed) =>
        `{"slug":"${engineSlugs[engine]!}","cyclesObserved":${observed},"isWarmingUp":${observed < MIN_CYCLES},` +
        `"brandPlacement":"${placementOf(brandCycles, observed)}",` +
        `"brandStability":${sharesOf(observed)[brandCycles]!},"core":[`,
    ),
    name: spelledOnce(
      entities.length,
      (entity, cycles, observed) =>
        `,{"entity":${entities[entity]!},"stability":${sharesOf(observed)[cycles]!}}`,
    ),
  };
}

/** @param count of what comes first, from 0 */
function spelledOnce(
  count: number,
  spell: (which: number, cycles: number, observed: number) => string,
): (which: number, cycles: number, observed: number) => Uint8Array {
  const spelled: Uint8Array[] = [];
  /** By the cycles observed: of each place, how many pieces were spelled with its own, which is the last of them; or 0. */
  const numbers: Int32Array[] = [];
  return (which, cycles, observed) => {
    const ofObserved = (numbers[observed] ??= new Int32Array((observed + 1) * count));
    const place = cycles * count + which;
    if (ofObserved[place] === 0)
      ofObserved[place] = spelled.push(Buffer.from(spell(which, cycles, observed)));
    return spelled[ofObserved[place]! - 1]!;
  };
}

function addEngine(
  engine: number,
  observed: number,
  { brandCycles, count, entity, cycles }: SeriesNames,
  pieces: Pieces,
): void {
  // Names come most stable first: once one is no core name, no later one is.
  let inCore = 0;
  while (inCore < Math.min(CORE_SIZE, count) && isCore(cycles[inCore]!, observed)) inCore++;
  const addList = (from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      const name = pieces.name(entity[index]!, cycles[index]!, observed);
      writer.add(index === from ? name.subarray(COMMA.length) : name);
    }
  };
  writer.add(pieces.engine(engine, brandCycles, observed));
  addList(0, inCore);
  writer.add(CAROUSEL);
  addList(inCore, count);
  writer.add(END_OF_ENGINE);
}

/** By cycles, their share of those observed, four decimals, as JSON spells it. */
function sharesOf(observed: number): readonly string[] {
  let shares = sharesByObserved.get(observed);
  if (shares === undefined) {
    shares = Array.from({ length: observed + 1 }, (_, cycles) => String(roundRatio(cycles, observed, 4)));
    sharesByObserved.set(observed, shares);
  }
  return shares;
}

const sharesByObserved = new Map<number, readonly string[]>();

/** Classes are decided on counts, never on a rounded share: 70 % and 40 % are exact. */
function placementOf(cycles: number, observed: number): Placement {
  if (cycles === 0) return 'absent';
  if (isCore(cycles, observed)) return 'core';
  return 10 * cycles >= 4 * observed ? 'emerging' : 'carousel';
}

function isCore(cycles: number, observed: number): boolean {
  return 10 * cycles >= 7 * observed;
}
