import { engineSlugs } from '../../../../lib/methodology/constants.ts';
import { movedOf } from '../../../../lib/methodology/moved.ts';
import { seededRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { comparedPrompts, drawWeeks, hasLasting, isOutsideBand } from './scores.ts';
import type { Fall, Week } from './scores.ts';

// The tables of docs/methodology.md, Questions. Prompts differ as real ones do: most are rather often or rather seldom named.
const chances = { mean: 0.4, concentration: 1.5 };
/** Weeks before the latest: as many as the rules look at. */
const WEEKS = 12;

/** All in percent of the cases. */
export interface TogetherRow {
  happening: string;
  prompts: number;
  driftBand: number;
  samePrompts: number;
  moved: number;
}

export interface LastingRow {
  happening: string;
  prompts: number;
  /** Any of the four weeks is flagged. */
  anyBand: number;
  anySamePrompts: number;
  /** The one verdict on the four weeks. */
  fourWeeks: number;
}

export interface DetectableRow {
  prompts: number;
  /** In percentage points: the mean of `detectablePp` where nothing happened. */
  detectable: number;
  /** How often a fall by that much is found, in percent. */
  found: number;
}

function draw(random: Random, prompts: number, fall?: Fall, weeks = WEEKS): Week[] {
  return drawWeeks(random, { prompts, weeks, chances, happening: 'nothing' }, fall);
}

/** A brand on 8 engines: weeks with a flag although nothing happened, and how often the one engine that fell is found. */
export function togetherTable(seed: number, cases: number): TogetherRow[] {
  const random = seededRandom(seed);
  return [undefined, { factor: 0.4, weeks: 1 }].flatMap((fall) =>
    [25, 60].map((prompts) => {
      const verdicts = Array.from({ length: cases }, () => judgeTogether(random, prompts, fall));
      return {
        happening:
          fall === undefined ? 'nothing: a week with a flag' : 'one engine falls from 40 to 16 %: found',
        prompts,
        driftBand: percent(verdicts.map(({ driftBand }) => driftBand)),
        samePrompts: percent(verdicts.map(({ samePrompts }) => samePrompts)),
        moved: percent(verdicts.map(({ moved }) => moved)),
      };
    }),
  );
}

function judgeTogether(random: Random, prompts: number, fall?: Fall) {
  const engines = engineSlugs.map((slug, index) => {
    const weeks = draw(random, prompts, index === 0 ? fall : undefined);
    return { slug, driftBand: isOutsideBand(weeks), ...comparedPrompts(weeks) };
  });
  const moved = movedOf(engines);
  const looked = fall === undefined ? engines : engines.slice(0, 1);
  return {
    driftBand: looked.some((engine) => engine.driftBand),
    samePrompts: looked.some((engine) => engine.samePrompts.isSignificant),
    moved: looked.some(({ slug }) => moved.includes(slug)),
  };
}

/** A change that lasts for four weeks: any of the four weekly verdicts, and the one on all four. */
export function lastingTable(seed: number, cases: number): LastingRow[] {
  const random = seededRandom(seed);
  const changes = { nothing: 1, '30 % fewer': 0.7, halved: 0.5 };
  return Object.entries(changes).flatMap(([happening, factor]) =>
    [25, 60].map((prompts) => {
      const verdicts = Array.from({ length: cases }, () => {
        const weeks = draw(random, prompts, { factor, weeks: 4 }, WEEKS + 3);
        const seen = [3, 2, 1, 0].map((after) => weeks.slice(0, weeks.length - after).slice(-WEEKS - 1));
        return {
          anyBand: seen.some(isOutsideBand),
          anySamePrompts: seen.some((each) => comparedPrompts(each).samePrompts.isSignificant),
          fourWeeks: hasLasting(seen.at(-1)!),
        };
      });
      return {
        happening,
        prompts,
        anyBand: percent(verdicts.map(({ anyBand }) => anyBand)),
        anySamePrompts: percent(verdicts.map(({ anySamePrompts }) => anySamePrompts)),
        fourWeeks: percent(verdicts.map(({ fourWeeks }) => fourWeeks)),
      };
    }),
  );
}

/** How often a week shows a fall by its `detectablePp`. */
export function detectableTable(seed: number, cases: number): DetectableRow[] {
  const random = seededRandom(seed);
  return [10, 25, 60, 100].map((prompts) => {
    const calm = Array.from({ length: cases }, () => comparedPrompts(draw(random, prompts)).samePrompts);
    const detectable = mean(calm.map(({ detectablePp }) => detectablePp!));
    const rate = mean(calm.map((same) => (100 * same.expected) / same.prompts));
    const fall = { factor: Math.max(0, 1 - detectable / rate), weeks: 1 };
    const verdicts = Array.from({ length: cases }, () => comparedPrompts(draw(random, prompts, fall)));
    return { prompts, detectable, found: percent(verdicts.map((each) => each.samePrompts.isSignificant)) };
  });
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function percent(cases: readonly boolean[]): number {
  return (100 * cases.filter(Boolean).length) / cases.length;
}
