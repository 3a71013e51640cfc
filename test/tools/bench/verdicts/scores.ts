import { driftBand, roundDouble } from '../../../../lib/methodology/exact.ts';
import { fourWeeks } from '../../../../lib/methodology/four-weeks.ts';
import { CYCLES_MULTIPLE, samePrompts } from '../../../../lib/methodology/same-prompts.ts';
import type { ComparedPrompts } from '../../../../lib/methodology/same-prompts.ts';
import { isSignificant, scoreOf } from '../../../../lib/methodology/visibility.ts';
import { drawChance } from './random.ts';
import type { Random } from '../../../support/random.ts';
import type { Chances } from './random.ts';

/** What happens in the latest week. */
export type Happening = 'nothing' | 'brand halved' | 'half of the prompts replaced' | 'three runs';

export interface EngineSetting {
  prompts: number;
  /** Scored weeks before the latest. */
  weeks: number;
  chances: Chances;
  happening: Happening;
}

/** How much less often the brand is named, in how many of the newest weeks. */
export interface Fall {
  factor: number;
  weeks: number;
}

const falls: Partial<Record<Happening, Fall>> = { 'brand halved': { factor: 0.5, weeks: 1 } };

/** One week: by prompt, whether the engine named the brand; undefined if it did not answer. */
export type Week = readonly (boolean | undefined)[];

/** The chance that an engine fails to answer a prompt in a week. */
const UNANSWERED = 0.1;
/** The chances of all prompts move together from week to week, by up to this much. */
const WEEKLY_NOISE = 0.02;

/** The verdicts on one engine's latest week: true if the rule reports a change. */
export function judgeEngine(random: Random, setting: EngineSetting) {
  const weeks = drawWeeks(random, setting);
  return { driftBand: isOutsideBand(weeks), samePrompts: comparedPrompts(weeks).samePrompts.isSignificant };
}

/** Oldest first. */
export function drawWeeks(
  random: Random,
  { prompts, weeks, chances, happening }: EngineSetting,
  fall = falls[happening],
): Week[] {
  const isReplaced = happening === 'half of the prompts replaced';
  const replaced = isReplaced ? Math.floor(prompts / 2) : 0;
  const chance = Array.from({ length: prompts }, () => drawChance(random, chances));
  // The new prompts suit the brand less.
  const added = { ...chances, mean: chances.mean / 2 };
  for (let prompt = 0; prompt < replaced; prompt += 1) chance.push(drawChance(random, added));
  return Array.from({ length: weeks + 1 }, (_, week): Week => {
    const isLatest = week === weeks;
    const factor = fall !== undefined && week > weeks - fall.weeks ? fall.factor : 1;
    const shift = (2 * random() - 1) * WEEKLY_NOISE;
    return chance.map((own, prompt) => {
      const isAsked = isLatest ? prompt >= replaced : prompt < prompts;
      if (!isAsked || random() < UNANSWERED) return undefined;
      const today = own * factor + shift;
      const named = Math.min(1, Math.max(0, today));
      return random() < (isLatest && happening === 'three runs' ? 1 - (1 - named) ** 3 : named);
    });
  });
}

const answered = (week: Week) => week.filter((named) => named !== undefined).length;
const naming = (week: Week) => week.filter((named) => named === true).length;

export function isOutsideBand(weeks: readonly Week[]): boolean {
  const scored = weeks.filter((week) => answered(week) > 0);
  const scores = scored.map((week) =>
    scoreOf({ promptsAnswered: answered(week), promptsNamed: naming(week) }),
  );
  const band = driftBand(scores.slice(0, -1), answered(scored.at(-1)!));
  return isSignificant({
    score: scores.at(-1)!,
    bandLow: band && roundDouble(band.low, 1),
    bandHigh: band && roundDouble(band.high, 1),
  });
}

/** The latest of up to 13 weeks, prompt by prompt. */
export function comparedPrompts(weeks: readonly Week[]): ComparedPrompts {
  const counts = { prompts: 0, named: 0 };
  const [answeredIn, namedIn]: [number[], number[]] = [[], []];
  // Below 2⁵³ with up to 69,000 prompts.
  let [expected, variance] = [0, 0];
  for (const [prompt, isNamed] of weeks.at(-1)!.entries()) {
    const cycles = weeks.map((week) => week[prompt]).filter((named) => named !== undefined);
    if (isNamed === undefined || cycles.length < 2) continue;
    counts.prompts += 1;
    counts.named += Number(isNamed);
    answeredIn.push(cycles.length);
    namedIn.push(cycles.filter(Boolean).length);
    const share = (CYCLES_MULTIPLE / cycles.length) * cycles.filter(Boolean).length;
    expected += share;
    variance += share * (CYCLES_MULTIPLE - share);
  }
  const sums = { expected: BigInt(expected), variance: BigInt(variance) };
  return samePrompts({ ...counts, ...sums, cycles: answeredIn, namedCycles: namedIn });
}

/** True if the newest four of up to 13 weeks differ from those before, prompt by prompt. */
export function hasLasting(weeks: readonly Week[]): boolean {
  const counts = { prompts: 0, named: 0 };
  let [expected, squares] = [0, 0];
  for (const prompt of weeks[0]!.keys()) {
    const [before, now] = [weeks.slice(0, -4), weeks.slice(-4)].map((part) =>
      part.map((week) => week[prompt]).filter((named) => named !== undefined),
    ) as [boolean[], boolean[]];
    if (before.length === 0 || now.length === 0) continue;
    const named = now.filter(Boolean).length;
    const all = named + before.filter(Boolean).length;
    const share = (all * now.length * CYCLES_MULTIPLE) / (before.length + now.length);
    counts.prompts += 1;
    counts.named += named;
    expected += share;
    squares += (named * CYCLES_MULTIPLE - share) ** 2;
  }
  const sums = { expected: BigInt(expected), squares: BigInt(squares) };
  return fourWeeks(weeks.length, { ...counts, ...sums })?.isSignificant === true;
}
