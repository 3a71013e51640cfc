import { counted, dayInWords, engineName, isolatedName, listOf } from './names.ts';
import { isCompared, readingOf } from './readings.ts';
import type { Reading, ReadingFacts } from './readings.ts';
import { standingInWords } from './standing.ts';
import type { CompetitorFacts } from './standing.ts';

export { dayInWords, engineName, engineSlugs, isolatedName } from './names.ts';
export { leadingRows, standingInWords } from './standing.ts';
export type { CompetitorFacts } from './standing.ts';

/** The parts of a visibility document that the sentences need. */
export interface VisibilityFacts extends Omit<ReadingFacts, 'perEngine'> {
  perEngine: readonly {
    slug: string;
    date: string;
    score: number;
    isSignificant: boolean;
    isWarmingUp: boolean;
    samePrompts: SamePrompts | null;
    fourWeeks: { named: number; expected: number; isSignificant: boolean } | null;
    modelsChanged: boolean | null;
  }[];
}

interface SamePrompts {
  prompts: number;
  named: number;
  expected: number;
  isSignificant: boolean;
  detectablePp: number | null;
}

type Engine = VisibilityFacts['perEngine'][number];
/**
 * A brand's week in plain sentences: first the engines that are silent, then those that moved, when all are judged together,
 * then alerts that are possibly chance and changes that last; then everything else, and the names that lead. Made from the
 * published verdicts only. Nothing is said about the week of an engine that has no score of it.
 * @param competitors null if that document is not known; the leaders are then left out
 * @param asOf the instant of the snapshot
 */
export function weekInWords(
  brandName: string,
  visibility: VisibilityFacts,
  competitors: CompetitorFacts | null,
  asOf: string,
): string[] {
  const { perEngine, silent } = visibility;
  const brand = isolatedName(brandName);
  if (perEngine.length === 0 && silent.length === 0)
    return [`No engine has answered a prompt of ${brand} yet.`];
  const read = (reading: Reading) =>
    perEngine.filter((engine) => readingOf(engine, visibility, asOf) === reading);
  const [moved, uncertain, calm] = [read('moved'), read('possibly chance'), read('as usual')];
  const flagged = [...moved, ...uncertain].slice(0, DESCRIBED);
  const judged = [...moved, ...uncertain, ...calm];
  const standing = competitors === null ? '' : `; ${standingInWords(brandName, competitors)}`;
  const warming = read('warming up');
  const rest = restInWords(calm, warming, perEngine.length + silent.length);
  return [
    ...silentInWords(visibility, asOf),
    ...olderInWords(read('older week')),
    ...flagged.map((engine) => movementInWords(brand, engine, moved.includes(engine))),
    ...othersInWords(moved, uncertain, flagged),
    ...lastingInWords(brand, judged),
    `${rest}${standing}.`,
    ...(moved.length === 0 ? detectableInWords(calm) : []),
  ];
}

/** Further engines that moved are named only. */
const DESCRIBED = 2;

/** The engines that gave no answer lately, those with the same last answer in one sentence. */
export function silentInWords(
  { perEngine, silent }: { perEngine: readonly { slug: string }[] } & Pick<VisibilityFacts, 'silent'>,
  asOf: string,
): string[] {
  const isEvery = perEngine.every(({ slug }) => silent.some((engine) => engine.slug === slug));
  const dates = [...new Set(silent.map(({ lastAnswered }) => lastAnswered))];
  return dates.map((lastAnswered) => {
    const engines = silent.filter((engine) => engine.lastAnswered === lastAnswered);
    const isAll = isEvery && dates.length === 1 && engines.length > 1;
    const who = isAll ? 'No engine' : listOf(engines.map(({ slug }) => engineName(slug)));
    const has = isAll || engines.length === 1 ? 'has' : 'have';
    const never = isAll ? 'ever answered' : 'never answered';
    const since = `${isAll ? '' : 'not '}answered since ${lastAnswered === null ? '' : dayInWords(lastAnswered, asOf)}`;
    const asked = engines.filter(({ runs }) => runs > 0).length;
    const why =
      asked === engines.length
        ? ', although asked in the last ten days'
        : asked === 0
          ? ': no run was delivered in the last ten days'
          : '';
    return `${who} ${has} ${lastAnswered === null ? never : since}${why}.`;
  });
}

/** Scores of earlier weeks. */
export function olderInWords(older: readonly { slug: string }[]): string[] {
  if (older.length === 0) return [];
  return [`${listOf(older.map(({ slug }) => engineName(slug)))} ${hasOrHave(older)} no score of this week.`];
}

function hasOrHave(engines: readonly unknown[]): string {
  return engines.length === 1 ? 'has' : 'have';
}

/** @param hasMoved false: possibly chance */
function movementInWords(brand: string, engine: Engine, hasMoved: boolean): string {
  const { slug, score, isSignificant, samePrompts, modelsChanged } = engine;
  const name = engineName(slug);
  const cause = modelsChanged === true ? ' Its model changed, which may be the reason.' : '';
  if (!isCompared(samePrompts))
    return `${name} is outside its usual range for ${brand} (${score} %), possibly by chance.${cause}`;
  const { named, prompts, expected } = samePrompts;
  const counts = `${named} of ${counted(prompts, 'prompt')}, ${expected} expected`;
  if (!hasMoved && isSignificant)
    return `${name} is outside its usual range for ${brand} (${score} %), possibly by chance: ${counts}.${cause}`;
  const isFewer = named < expected;
  const what =
    named === 0 && hasMoved
      ? `stopped naming ${brand}`
      : `names ${brand} in ${isFewer ? 'fewer' : 'more'} prompts`;
  if (!hasMoved) return `${name} ${what}, possibly by chance: ${counts}.${cause}`;
  return `${name} ${what}: ${counts}. Chance rarely causes such a ${isFewer ? 'drop' : 'rise'}.${cause}`;
}

/** The engines that are not described. */
function othersInWords(
  moved: readonly Engine[],
  uncertain: readonly Engine[],
  described: readonly Engine[],
): string[] {
  const sentence = (engines: readonly Engine[], verdict: string) => {
    const others = engines.filter((engine) => !described.includes(engine));
    if (others.length === 0) return [];
    return [`${listOf(others.map(({ slug }) => engineName(slug)))} ${verdict}.`];
  };
  return [
    ...sentence(moved, 'moved too, more than chance usually causes'),
    ...sentence(uncertain, 'moved too, possibly by chance'),
  ];
}

/** What lasts: the newest four weeks against those before. */
function lastingInWords(brand: string, judged: readonly Engine[]): string[] {
  const lasting = judged.filter(({ fourWeeks }) => fourWeeks?.isSignificant === true);
  const more = lasting.slice(DESCRIBED).map(({ slug }) => engineName(slug));
  return [
    ...lasting.slice(0, DESCRIBED).map(({ slug, fourWeeks }) => {
      const { named, expected } = fourWeeks!;
      const often = named < expected ? 'less often' : 'more often';
      return `Over four weeks ${engineName(slug)} names ${brand} ${often}: ${named} times, ${expected} expected.`;
    }),
    ...(more.length === 0 ? [] : [`${listOf(more)} changed over four weeks too.`]),
  ];
}

/**
 * The engines with a score of this week that did not move, without the full stop.
 * @param all the number of scores and silent engines: more than in both lists if others were named before
 */
export function restInWords(
  calm: readonly { slug: string }[],
  warming: readonly { slug: string }[],
  all: number,
): string {
  const isRest = calm.length + warming.length < all;
  if (calm.length === 0 && warming.length === 0) return 'Nothing else can be said about this week';
  if (calm.length === 0)
    return isRest
      ? 'All other engines are warming up'
      : 'All engines are warming up, so nothing can be judged yet';
  const text = `${isRest ? 'Everything else' : 'Every engine'} is within its usual range`;
  if (warming.length === 0) return text;
  const names = listOf(warming.map(({ slug }) => engineName(slug)));
  return `${text}, but ${names} ${warming.length === 1 ? 'is' : 'are'} warming up`;
}

/** What a calm week could have seen. */
function detectableInWords(calm: readonly Engine[]): string[] {
  const points = calm.flatMap(({ samePrompts }) => samePrompts?.detectablePp ?? []).map(Math.round);
  if (points.length === 0) return [];
  const [least, most] = [Math.min(...points), Math.max(...points)];
  const range = least === most ? String(least) : `${least} to ${most}`;
  return [`A fall of ${range} points would have shown in about seven of ten cases.`];
}
