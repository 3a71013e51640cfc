import { z } from 'zod';
import { sharesAgree, leadersFollow, rowsAreInOrder } from './rules/competitors.ts';
import { withRules } from './rules/rules.ts';
import { brandReference, count, percentage, text } from './shared.ts';

const shareOfVoiceRow = z
  .strictObject({
    name: text.describe('The brand, or a tracked competitor.'),
    isBrand: z.boolean().describe("True for the brand's own row."),
    mentions: count.describe('Mentions in the successful runs of the last 14 days.'),
    sovPct: percentage.describe('Share of voice: these mentions as a percentage of totalMentions.'),
    lowPct: percentage.describe('Lower bound of the 95 % Wilson confidence interval of sovPct.'),
    highPct: percentage.describe('Upper bound of that interval.'),
    halfWidthPp: percentage.describe("Half of the interval's width, in percentage points."),
    tiedWithBrand: z
      .boolean()
      .describe("True where the interval overlaps the brand's; never on the brand's own row."),
    tiedForLead: z.boolean().describe('True where the row is statistically tied with the first.'),
  })
  .meta({ id: 'ShareOfVoice', description: "One name's share of all mentions counted." });

const competitorsShape = z.strictObject({
  brand: brandReference,
  shareOfVoice: z.array(shareOfVoiceRow).describe('The brand and its competitors, most mentions first.'),
  totalMentions: count.describe('All mentions counted: the denominator of sovPct.'),
  noiseFloorPp: percentage.describe(
    'Smallest gap, in percentage points, that is meaningful for this number of mentions; shares closer than this have no order.',
  ),
  leaders: z
    .array(text)
    .describe('The names statistically tied for the lead; more than one means that nobody leads.'),
  answers: count.describe(
    'Answers that the mentions were counted in: the successful runs of the last 14 days. Mentions in one answer are not independent, so the intervals are a little too narrow.',
  ),
});

/** The `data` of the competitors document (methodology, Competitors). */
export const competitorsSchema = withRules(competitorsShape, rowsAreInOrder, sharesAgree, leadersFollow).meta(
  { id: 'Competitors', description: 'Share of voice of a brand and its competitors.' },
);

export type Competitors = z.infer<typeof competitorsShape>;
