import { z } from 'zod';
import { WINDOW_DAYS } from '../methodology/constants.ts';
import { sharesAgree, leadersFollow, rowsAreInOrder } from './rules/competitors.ts';
import { withRules } from './rules/rules.ts';
import { brandReference, count, percentage, text } from './shared.ts';

const shareOfVoiceRow = z
  .strictObject({
    name: text.describe('The brand, or a tracked competitor.'),
    isBrand: z.boolean().describe("True for the brand's own row."),
    mentions: count.describe(`Mentions in the successful runs of the last ${WINDOW_DAYS} days.`),
    sovPct: percentage.describe('Share of voice: these mentions as a percentage of totalMentions.'),
    lowPct: percentage.describe('Lower bound of the 95 % Wilson confidence interval of sovPct.'),
    highPct: percentage.describe('Upper bound of that interval.'),
    halfWidthPp: percentage.describe("Half of the interval's width, in percentage points."),
    tiedWithBrand: z
      .boolean()
      .describe("True if the interval overlaps the brand's; never on the brand's own row."),
    tiedForLead: z.boolean().describe('True if the row is statistically tied with the first one.'),
  })
  .meta({ id: 'ShareOfVoice', description: "One name's share of all mentions." });

const competitorsShape = z.strictObject({
  brand: brandReference,
  shareOfVoice: z.array(shareOfVoiceRow).describe('The brand and its competitors, most mentions first.'),
  totalMentions: count.describe('All mentions: the denominator of sovPct.'),
  noiseFloorPp: percentage.describe(
    'Smallest gap, in percentage points, that is meaningful for this number of mentions. The order of closer shares means nothing.',
  ),
  leaders: z
    .array(text)
    .describe(
      'The names that are statistically tied for the lead. If there is more than one, no name leads.',
    ),
  answers: count.describe(
    `Answers in which the mentions were counted: the successful runs of the last ${WINDOW_DAYS} days. Mentions in one answer are not independent, so the intervals are a little too narrow.`,
  ),
});

/** The `data` of the competitors document (methodology, Competitors). */
export const competitorsSchema = withRules(competitorsShape, rowsAreInOrder, sharesAgree, leadersFollow).meta(
  { id: 'Competitors', description: 'Share of voice of a brand and its competitors.' },
);

export type Competitors = z.infer<typeof competitorsShape>;
