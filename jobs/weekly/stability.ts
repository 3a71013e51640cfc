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
  // Each is spelled once: a brand has some 200 of them in 3,000 places.
  const entities = identified.entities.map((entity) => Buffer.from(`,{"entity":${entity},"stability":`));
  let promptComma = '';
  for (const { id, text } of prompts) {
    const prompt = numbers.get(id);
    if (prompt === undefined) continue;
    writer.addText(`${promptComma}{"promptId":"${id}","promptText":${JSON.stringify(text)},"engines":[`);
    promptComma = ',';
    let isFirst = true;
    for (const [engine, slug] of engineSlugs.entries()) {
      const place = places[prompt * ENGINES_IN_SERIES + engine]!;
      if (place === NOWHERE) continue;
      if (!isFirst) writer.add(COMMA);
      isFirst = false;
      addEngine(slug, names.observed[place]!, identified.namedIn(place), entities);
    }
    writer.addText(']}');
  }
}

const NOWHERE = -1;
const COMMA = Buffer.from(',');
const CAROUSEL = Buffer.from('],"carousel":[');
const END_OF_ENGINE = Buffer.from(']}');

function addEngine(
  slug: string,
  observed: number,
  { brandCycles, count, entity, cycles }: SeriesNames,
  entities: readonly Uint8Array[],
): void {
  const shares = sharesOf(observed);
  // Names come most stable first: once one is no core name, no later one is.
  let inCore = 0;
  while (inCore < Math.min(CORE_SIZE, count) && isCore(cycles[inCore]!, observed)) inCore++;
  const addList = (from: number, to: number): void => {
    for (let index = from; index < to; index++) {
      const name = entities[entity[index]!]!;
      writer.add(index === from ? name.subarray(COMMA.length) : name);
      writer.add(shares[cycles[index]!]!.endOfName);
    }
  };
  writer.addText(
    `{"slug":"${slug}","cyclesObserved":${observed},"isWarmingUp":${observed < MIN_CYCLES},` +
      `"brandPlacement":"${placementOf(brandCycles, observed)}",` +
      `"brandStability":${shares[brandCycles]!.text},"core":[`,
  );
  addList(0, inCore);
  writer.add(CAROUSEL);
  addList(inCore, count);
  writer.add(END_OF_ENGINE);
}

/** A share with four decimals as JSON spells it, and with what follows it after a name. */
interface Share {
  text: string;
  endOfName: Uint8Array;
}

/** By cycles, their share of those observed. */
function sharesOf(observed: number): readonly Share[] {
  let shares = sharesByObserved.get(observed);
  if (shares === undefined) {
    shares = Array.from({ length: observed + 1 }, (_, cycles) => {
      const text = String(roundRatio(cycles, observed, 4));
      return { text, endOfName: Buffer.from(`${text}}`) };
    });
    sharesByObserved.set(observed, shares);
  }
  return shares;
}

const sharesByObserved = new Map<number, readonly Share[]>();

/** Classes are decided on counts, never on a rounded share: 70 % and 40 % are exact. */
function placementOf(cycles: number, observed: number): Placement {
  if (cycles === 0) return 'absent';
  if (isCore(cycles, observed)) return 'core';
  return 10 * cycles >= 4 * observed ? 'emerging' : 'carousel';
}

function isCore(cycles: number, observed: number): boolean {
  return 10 * cycles >= 7 * observed;
}
