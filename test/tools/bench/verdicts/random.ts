import type { Random } from '../../../support/random.ts';

/** How chances differ from prompt to prompt: a beta distribution. */
export interface Chances {
  mean: number;
  /** 0.4: most prompts nearly always or nearly never; 5: moderately different; null: all the same. */
  concentration: number | null;
}

/** The chance that an answer to a prompt names a brand. */
export function drawChance(random: Random, { mean, concentration }: Chances): number {
  if (concentration === null) return mean;
  const a = gamma(random, concentration * mean);
  const b = gamma(random, concentration * (1 - mean));
  return a + b === 0 ? Number(random() < mean) : a / (a + b);
}

/** How many of `trials` have this chance come true. */
export function binomial(random: Random, trials: number, chance: number): number {
  let hits = 0;
  for (let trial = 0; trial < trials; trial += 1) hits += Number(random() < chance);
  return hits;
}

/** G. Marsaglia, W. W. Tsang, A Simple Method for Generating Gamma Variables, ACM TOMS 26, 2000. */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * random() ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < x * x * 0.5 + d - d * v + d * Math.log(v)) return d * v;
  }
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
