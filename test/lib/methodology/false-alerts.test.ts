import { expect, test } from 'vitest';
import { engineSlugs } from '../../../lib/methodology/constants.ts';
import { driftBand, roundDouble } from '../../../lib/methodology/exact.ts';
import { movedOf } from '../../../lib/methodology/moved.ts';
import { isSignificant, scoreOf } from '../../../lib/methodology/visibility.ts';
import { seededRandom } from '../../support/random.ts';

/* README and docs/methodology.md, "How far to trust the verdicts": what is reported by chance, and what is found. */

const random = seededRandom(1);
const CASES = 4000;

/** A week of an engine: the published score of that many prompts, each of which names the brand by chance. */
function scoreIn(prompts: number, rate: number): number {
  let promptsNamed = 0;
  for (let prompt = 0; prompt < prompts; prompt += 1) promptsNamed += Number(random() < rate);
  return scoreOf({ promptsAnswered: prompts, promptsNamed });
}

/** The share of engine-weeks outside of their band: a rate that moves by 2 points from week to week, then `latest`. */
function shareReported(prompts: number, weeks: number, rate: number, latest?: number): number {
  let reported = 0;
  for (let each = 0; each < CASES; each += 1) {
    const rates = Array.from({ length: weeks + 1 }, () => rate + 0.02 * (2 * random() - 1));
    const scores = rates.map((own) => scoreIn(prompts, own));
    const score = latest === undefined ? scores.pop()! : scoreIn(prompts, latest);
    const band = driftBand(scores.slice(0, weeks), prompts)!;
    const [bandLow, bandHigh] = [roundDouble(band.low, 1), roundDouble(band.high, 1)];
    reported += Number(isSignificant({ score, bandLow, bandHigh }));
  }
  return reported / CASES;
}

/** At least one of 8 engines is reported. */
const onEightEngines = (share: number) => 1 - (1 - share) ** 8;

test('a brand on 8 engines has a false alert in 5 to 29 % of weeks', () => {
  const settings = [10, 25, 60].flatMap((prompts) =>
    [4, 6, 12].flatMap((weeks) => [0.05, 0.4].map((rate) => [prompts, weeks, rate] as const)),
  );
  const byChance = settings.map((setting) => onEightEngines(shareReported(...setting)));
  expect(Math.min(...byChance)).toBeGreaterThan(0.05);
  expect(Math.max(...byChance)).toBeLessThan(0.29);
});

test('`moved` names one of 8 engines by chance in 5 % of weeks', () => {
  const weeks = Array.from({ length: CASES }, () => engineSlugs.map((slug) => ({ slug, p: random() })));
  const share = weeks.filter((engines) => movedOf(engines).length > 0).length / CASES;
  expect(share).toBeCloseTo(0.05, 2);
});

test('a fall from 40 % to nothing is reported in one of four cases, with more prompts and weeks in nine of ten', () => {
  expect(shareReported(10, 4, 0.4, 0)).toBeCloseTo(0.25, 1);
  expect(shareReported(25, 6, 0.4, 0)).toBeCloseTo(0.9, 1);
});
