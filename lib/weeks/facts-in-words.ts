import { readingOf } from './readings.ts';
import type { Reading } from './readings.ts';
import { counted, engineName, isolatedName, listOf } from './names.ts';
import { leadInWords } from './standing.ts';
import { olderInWords, restInWords, silentInWords } from './words.ts';

/** The facts of the week about one brand, as the week document has them. */
export interface BrandFacts {
  brand: { name: string };
  engines: readonly EngineFacts[];
  moved: readonly string[];
  silent: readonly { slug: string; lastAnswered: string | null; runs: number }[];
  shareOfVoice: {
    names: number;
    totalMentions: number;
    leaders: readonly string[];
    leadersByPrompt: readonly string[] | null;
  };
}

interface EngineFacts {
  slug: string;
  date: string;
  score: number;
  promptsAnswered: number;
  promptsNamed: number;
  isSignificant: boolean;
  isWarmingUp: boolean;
  isLasting: boolean;
}

/** How the latest score of an engine is to be read, by the facts of the week. */
export function readingInWeek(engine: EngineFacts, facts: BrandFacts, asOf: string): Reading {
  return readingOf({ ...engine, samePrompts: null }, facts, asOf);
}

/**
 * A brand's week in plain sentences, from the facts of the week alone: engines that are silent, those that moved, alerts
 * that are possibly chance, what lasts, then everything else and the names that lead.
 * @param asOf the instant of the week
 */
export function factsInWords(facts: BrandFacts, asOf: string): string[] {
  const { engines, silent, brand } = facts;
  const name = isolatedName(brand.name);
  if (engines.length === 0 && silent.length === 0) return [`No engine has answered a prompt of ${name} yet.`];
  const read = (reading: Reading) =>
    engines.filter((engine) => readingInWeek(engine, facts, asOf) === reading);
  const [moved, byChance, calm, warming] = [
    read('moved'),
    read('possibly chance'),
    read('as usual'),
    read('warming up'),
  ];
  const lasting = [...moved, ...byChance, ...calm].filter(({ isLasting }) => isLasting);
  return [
    ...silentInWords({ perEngine: engines, silent }, asOf),
    ...olderInWords(read('older week')),
    ...(moved.length === 0 ? [] : [`${listOf(moved.map(countsOf))} moved, more than chance usually causes.`]),
    ...(byChance.length === 0
      ? []
      : [`${listOf(byChance.map(countsOf))} left the usual range, possibly by chance.`]),
    ...(lasting.length === 0
      ? []
      : [`Over four weeks ${listOf(lasting.map(({ slug }) => engineName(slug)))} changed.`]),
    `${restInWords(calm, warming, engines.length + silent.length)}; ${leadersInWords(facts)}.`,
  ];
}

/** `ChatGPT (names it in 3 of 27 prompts)` */
function countsOf({ slug, promptsNamed, promptsAnswered }: EngineFacts): string {
  return `${engineName(slug)} (names it in ${promptsNamed} of ${counted(promptsAnswered, 'prompt')})`;
}

/** Which names lead the share of voice, without the full stop. */
function leadersInWords({ brand, shareOfVoice }: BrandFacts): string {
  const leading = shareOfVoice.leadersByPrompt ?? shareOfVoice.leaders;
  return leadInWords(brand.name, { ...shareOfVoice, leading, isLeading: leading.includes(brand.name) });
}

/** Silent engines count most, then those that moved, then alerts: brands with the most come first. */
export function urgentFirst<Facts extends BrandFacts>(brands: readonly Facts[]): Facts[] {
  const alerts = ({ engines }: Facts) => engines.filter(({ isSignificant }) => isSignificant).length;
  return brands.toSorted(
    (a, b) => b.silent.length - a.silent.length || b.moved.length - a.moved.length || alerts(b) - alerts(a),
  );
}
