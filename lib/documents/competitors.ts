import { z } from 'zod';
import { MIN_PROMPTS_COMPARED, WINDOW_DAYS } from '../methodology/constants.ts';
import { compareText } from '../methodology/text.ts';
import { refuseUnlessBySlug, refuseUnlessOrdered, withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { brandReference, count, decimal, engineSlug, percentage, text } from './shared.ts';

const gapToLeader = z
  .strictObject({
    gapPp: percentage.describe("The first row's share of voice minus this row's, in percentage points."),
    lowPp: decimal.describe(
      'Lower bound of the 95 % confidence interval of gapPp, clustered by prompt: for other prompts of that kind. Not cut, so it may be negative.',
    ),
    highPp: decimal.describe('Upper bound of that interval; may be above 100.'),
    isBehind: z
      .boolean()
      .describe(
        'True if the interval is above 0; decided before rounding, so lowPp may be 0. The first row is the largest of several: with six equal names, about one row in ten is called behind by chance.',
      ),
  })
  .meta({ id: 'BehindLeader', description: 'The distance to the first row, with an interval by prompt.' });

const onEngine = z
  .strictObject({
    slug: engineSlug,
    mentions: count.describe('Its mentions on that engine; over the engines they add up to mentions.'),
    answersNaming: count.describe('Answers of that engine that name it at least once.'),
  })
  .meta({ id: 'ShareOfVoiceOnEngine', description: "One name's counts on one engine." });

const engineTotals = z
  .strictObject({
    slug: engineSlug,
    answers: count.min(1).describe('Answers of that engine in the window.'),
    totalMentions: count.describe('All mentions in them.'),
  })
  .meta({ id: 'CompetitorsOnEngine', description: 'The answers and mentions of one engine.' });

const shareOfVoiceRow = z
  .strictObject({
    name: text.describe('The brand, or a tracked competitor.'),
    isBrand: z.boolean().describe("True for the brand's own row."),
    mentions: count.describe(`Mentions in the successful runs of the last ${WINDOW_DAYS} days.`),
    sovPct: percentage.describe('Share of voice: these mentions as a percentage of totalMentions.'),
    lowPct: percentage.describe(
      'Lower bound of the 95 % Wilson confidence interval of sovPct. For the same prompts asked again the interval is too wide; for other prompts of that kind, far too narrow.',
    ),
    highPct: percentage.describe('Upper bound of that interval.'),
    halfWidthPp: percentage.describe("Half of the interval's width, in percentage points."),
    tiedWithBrand: z
      .boolean()
      .describe("True if the interval overlaps the brand's; never on the brand's own row."),
    tiedForLead: z
      .boolean()
      .describe(
        'True if the interval overlaps that of the first row. Mentions are taken for independent draws, so the flag can miss a real lead as well as name a false one; behindLeader is the better judge.',
      ),
    behindLeader: gapToLeader
      .nullable()
      .describe(
        `How far the row is behind the first one, judged by prompt. Null in the first row, and everywhere if fewer than ${MIN_PROMPTS_COMPARED} prompts have mentions.`,
      ),
    perEngine: z
      .array(onEngine)
      .describe(
        'The counts on each engine, zeros too: the engines of perEngine of the document, in the same order. They have no interval: on one engine, judge small differences as chance.',
      ),
    answersNaming: count.describe('Answers that name it at least once.'),
    presencePct: percentage.describe(
      'These answers as a percentage of answers. Unlike a share of voice it does not fall when another name is mentioned more.',
    ),
    presenceLowPct: percentage.describe(
      'Lower bound of the 95 % Wilson confidence interval of presencePct, for other answers to the same prompts. For other prompts of that kind it is too narrow.',
    ),
    presenceHighPct: percentage.describe('Upper bound of that interval.'),
  })
  .meta({ id: 'ShareOfVoice', description: "One name's share of all mentions." });

export const competitorsShape = z.strictObject({
  brand: brandReference,
  shareOfVoice: z.array(shareOfVoiceRow).describe('The brand and its competitors, most mentions first.'),
  totalMentions: count.describe('All mentions: the denominator of sovPct.'),
  noiseFloorPp: percentage.describe(
    'Smallest gap, in percentage points, that is meaningful for this number of mentions, taken for independent draws. Judge closer shares by behindLeader where it is not null; otherwise their order means nothing.',
  ),
  leaders: z
    .array(text)
    .describe(
      'The names whose intervals overlap that of the first row. Mentions are taken for independent draws; use leadersByPrompt where it is not null.',
    ),
  leadersByPrompt: z
    .array(text)
    .nullable()
    .describe(
      `The names of the first row and of all rows that are not behind it; use it to say who leads. Null if fewer than ${MIN_PROMPTS_COMPARED} prompts have mentions. With six equal names, one list in three lacks at least one of them; a single name in it is false in fewer than 1 of 200 lists, with two names in 1 of 20.`,
    ),
  answers: count.describe(
    `Answers in which the mentions were counted: the successful runs of the last ${WINDOW_DAYS} days. Mentions in one answer are not independent of each other, which the intervals of sovPct ignore.`,
  ),
  perEngine: z
    .array(engineTotals)
    .describe(`Every engine with an answer in the last ${WINDOW_DAYS} days, by slug.`),
});

export type Competitors = z.infer<typeof competitorsShape>;
type Row = Competitors['shareOfVoice'][number];

/** Two competitors may have the same name: ingest does not refuse it. */
const isByMentions = (a: Row, b: Row) =>
  (b.mentions - a.mentions || Number(b.isBrand) - Number(a.isBrand) || compareText(a.name, b.name)) <= 0;

const rowsAreInOrder: Rule<Competitors> = ({ shareOfVoice }, refuse) => {
  const own = shareOfVoice.filter((row) => row.isBrand);
  if (own.length !== 1) refuse(['shareOfVoice'], `must have one row of the brand, has ${own.length}`);
  const message = 'rows must be by mentions, most first, then the brand, then by name';
  refuseUnlessOrdered(shareOfVoice, isByMentions, ['shareOfVoice'], message, refuse);
};

const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);

const enginesAddUp: Rule<Competitors> = (document, refuse) => {
  const { perEngine, shareOfVoice } = document;
  refuseUnlessBySlug(perEngine, ['perEngine'], refuse);
  if (
    sum(perEngine.map(({ answers }) => answers)) !== document.answers ||
    sum(perEngine.map(({ totalMentions }) => totalMentions)) !== document.totalMentions
  )
    refuse(['perEngine'], 'must add up to answers and totalMentions');
  for (const [index, row] of shareOfVoice.entries()) {
    const isSame = perEngine.every(({ slug }, at) => row.perEngine[at]?.slug === slug);
    if (
      !isSame ||
      row.perEngine.length !== perEngine.length ||
      sum(row.perEngine.map(({ mentions }) => mentions)) !== row.mentions ||
      sum(row.perEngine.map(({ answersNaming }) => answersNaming)) !== row.answersNaming
    )
      refuse(['shareOfVoice', index, 'perEngine'], 'must be the engines of perEngine, and add up to the row');
  }
};

/** The `data` of the competitors document (methodology, Competitors and Verdicts). */
export const competitorsSchema = withRules(competitorsShape, rowsAreInOrder, enginesAddUp).meta({
  id: 'Competitors',
  description: 'Share of voice of a brand and its competitors.',
});
