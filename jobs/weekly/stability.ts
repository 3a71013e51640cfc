import type { Placement } from '../../lib/documents/index.ts';
import { roundRatio } from '../../lib/exact.ts';
import { CORE_SIZE, MIN_CYCLES, engineSlugs } from '../../lib/methodology.ts';
import { ENGINES_IN_SERIES } from './facts/brand-names.ts';
import type { BrandNames } from './facts/brand-names.ts';
import { identify } from './identify.ts';
import type { SeriesNames } from './identify.ts';
import type { BrandRows, PromptRow } from './rows.ts';

/** What of a brand's rows the stability document is made from. */
export type StabilityRows = Pick<BrandRows, 'brand' | 'prompts' | 'competitors'>;

/**
 * The stability document (spec 2.5; methodology, Stability), in the canonical form of `encodeDocument`. It is written
 * from integers, because it holds nine tenths of all bytes: as objects, checked and then spelled, it took three times as
 * long. A test holds it against the schema.
 */
export function stabilityDocument(
  { brand: { id, name, domain }, prompts, competitors }: StabilityRows,
  names: BrandNames | null,
): string {
  const reference = JSON.stringify({ id, name, domain });
  const tracked = new Set(competitors.map((competitor) => competitor.id));
  const listed = names === null ? [] : promptTexts(prompts, names, tracked);
  return `{"data":{"brand":${reference},"minCycles":${MIN_CYCLES},"prompts":[${listed.join(',')}]}}\n`;
}

function promptTexts(
  prompts: readonly PromptRow[],
  names: BrandNames,
  competitors: ReadonlySet<string>,
): string[] {
  const numbers = new Map(names.prompts.map((id, number) => [id, number]));
  const places = new Map(Array.from(names.series, (series, place) => [series, place]));
  const namedIn = identify(names, competitors);
  return prompts.flatMap(({ id, text, is_active }) => {
    const prompt = numbers.get(id);
    if (prompt === undefined || !is_active) return [];
    const engines = engineSlugs.flatMap((slug, engine) => {
      const place = places.get(prompt * ENGINES_IN_SERIES + engine);
      return place === undefined ? [] : [engineText(slug, names.observed[place]!, namedIn(place))];
    });
    return `{"promptId":"${id}","promptText":${JSON.stringify(text)},"engines":[${engines.join(',')}]}`;
  });
}

function engineText(slug: string, observed: number, names: SeriesNames): string {
  const shares = sharesOf(observed);
  const { brandCycles, entities, cycles } = names;
  // Names come most stable first: once one is no core name, no later one is.
  let inCore = 0;
  while (inCore < Math.min(CORE_SIZE, cycles.length) && isCore(cycles[inCore]!, observed)) inCore++;
  const list = (from: number, to: number): string => {
    let text = '';
    for (let index = from; index < to; index++) {
      text += `${index === from ? '' : ','}{"entity":${entities[index]!},"stability":${shares[cycles[index]!]!}}`;
    }
    return text;
  };
  return (
    `{"slug":"${slug}","cyclesObserved":${observed},"isWarmingUp":${observed < MIN_CYCLES},` +
    `"brandPlacement":"${placementOf(brandCycles, observed)}","brandStability":${shares[brandCycles]!},` +
    `"core":[${list(0, inCore)}],"carousel":[${list(inCore, cycles.length)}]}`
  );
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
