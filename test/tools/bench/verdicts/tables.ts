import { judgeList } from './leads.ts';
import type { ListSetting } from './leads.ts';
import { seededRandom } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import type { Chances } from './random.ts';
import { judgeEngine } from './scores.ts';
import type { Happening } from './scores.ts';

/** Percentages of simulated cases: the least and the most over all settings of a row. */
export interface Range {
  least: number;
  most: number;
}

export interface ScoreRow {
  happening: Happening;
  prompts: number;
  weeks: number;
  driftBand: Range;
  samePrompts: Range;
}

export interface LeadRow {
  prompts: number;
  /** Two equal names that were chosen beforehand are called different. */
  pairByPrompt: Range;
  pairIndependent: Range;
  pairWilson: Range;
  /** Of six equal names, one at least is called behind. */
  anyByPrompt: Range;
  anyWilson: Range;
  /** Of six equal names, one is called the only leader. */
  aloneByPrompt: Range;
  /** Of six names, the first is twice as likely as the others: those that are found to be behind it. */
  foundByPrompt: Range;
  foundWilson: Range;
}

const sizes = [
  [10, 4],
  [10, 12],
  [25, 6],
  [60, 4],
  [60, 12],
] as const;
const concentrations = [null, 5, 1, 0.4];
const happenings: [Happening, number[]][] = [
  ['nothing', [0.05, 0.4]],
  ['brand halved', [0.3, 0.4, 0.5]],
  ['half of the prompts replaced', [0.4]],
  ['three runs', [0.2, 0.4]],
];

/** How often each rule reports a change, by what happened. @param cases simulated for each setting */
export function scoreTable(seed: number, cases: number): ScoreRow[] {
  const random = seededRandom(seed);
  return happenings.flatMap(([happening, means]) =>
    sizes.map(([prompts, weeks]): ScoreRow => {
      const rates = settingsOf(means, concentrations).map((chances) => {
        const verdicts = repeat(cases, () => judgeEngine(random, { prompts, weeks, chances, happening }));
        return {
          driftBand: percent(verdicts, (verdict) => verdict.driftBand),
          samePrompts: percent(verdicts, (verdict) => verdict.samePrompts),
        };
      });
      const range = (rule: 'driftBand' | 'samePrompts') => rangeOf(rates.map((rate) => rate[rule]));
      return { happening, prompts, weeks, driftBand: range('driftBand'), samePrompts: range('samePrompts') };
    }),
  );
}

const NAMES = 6;

/** How often each rule calls names different that are equal, and finds names that are not. */
export function leadTable(seed: number, cases: number): LeadRow[] {
  const random = seededRandom(seed);
  return [5, 10, 25, 60].map((prompts) => {
    const rates = settingsOf([0.1, 0.2, 0.4], [3, 1, 0.5]).map((chances) =>
      leadRates(random, cases, { prompts, names: NAMES, chances }),
    );
    const range = (rule: keyof (typeof rates)[number]) => rangeOf(rates.map((rate) => rate[rule]));
    return {
      prompts,
      pairByPrompt: range('pairByPrompt'),
      pairIndependent: range('pairIndependent'),
      pairWilson: range('pairWilson'),
      anyByPrompt: range('anyByPrompt'),
      anyWilson: range('anyWilson'),
      aloneByPrompt: range('aloneByPrompt'),
      foundByPrompt: range('foundByPrompt'),
      foundWilson: range('foundWilson'),
    };
  });
}

function leadRates(random: Random, cases: number, setting: Omit<ListSetting, 'others'>) {
  const judged = (others: number) =>
    repeat(cases, () => judgeList(random, { ...setting, others })).filter((verdict) => verdict !== null);
  const [equal, unequal] = [judged(1), judged(0.5)];
  const found = (rule: 'byPrompt' | 'wilson') =>
    unequal.reduce((rows, verdict) => rows + verdict.rows[rule], 0) / (unequal.length * (NAMES - 1));
  return {
    pairByPrompt: percent(equal, ({ pair }) => pair.byPrompt),
    pairIndependent: percent(equal, ({ pair }) => pair.independent),
    pairWilson: percent(equal, ({ pair }) => pair.wilson),
    anyByPrompt: percent(equal, ({ rows }) => rows.byPrompt > 0),
    anyWilson: percent(equal, ({ rows }) => rows.wilson > 0),
    aloneByPrompt: percent(equal, ({ rows }) => rows.byPrompt === NAMES - 1),
    foundByPrompt: 100 * found('byPrompt'),
    foundWilson: 100 * found('wilson'),
  };
}

function settingsOf(means: readonly number[], spreads: readonly (number | null)[]): Chances[] {
  return means.flatMap((mean) => spreads.map((concentration) => ({ mean, concentration })));
}

function repeat<Result>(times: number, work: () => Result): Result[] {
  return Array.from({ length: times }, work);
}

function percent<Case>(cases: readonly Case[], isSo: (each: Case) => boolean): number {
  return (100 * cases.filter(isSo).length) / cases.length;
}

function rangeOf(percentages: readonly number[]): Range {
  return { least: Math.min(...percentages), most: Math.max(...percentages) };
}
