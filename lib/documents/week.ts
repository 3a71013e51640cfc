import { z } from 'zod';
import { WEEK_DAYS, WINDOW_DAYS } from '../methodology/constants.ts';
import { competitorsShape } from './competitors.ts';
import { refuseRepeats, refuseUnlessBySlug, withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { brandReference, count, date, instant } from './shared.ts';
import { engineScore, visibilityShape } from './visibility.ts';

const engineInWeek = engineScore
  .pick({
    slug: true,
    score: true,
    date: true,
    promptsAnswered: true,
    promptsNamed: true,
    isSignificant: true,
    isWarmingUp: true,
  })
  .extend({
    isLasting: z
      .boolean()
      .describe(
        'True if the newest four weeks differ from the weeks before them by more than chance explains (fourWeeks of the visibility response).',
      ),
  })
  .strict()
  .meta({ id: 'EngineInWeek', description: "An engine's latest score, without its history." });

const shareInWeek = z
  .strictObject({
    rank: count
      .min(1)
      .describe("The place of the brand's row, from 1. Ranks may be chance: read leadersByPrompt."),
    names: count.min(1).describe('How many names are compared: the brand and its competitors.'),
    ...ownRow(),
    totalMentions: competitorsShape.shape.totalMentions,
    leaders: competitorsShape.shape.leaders,
    leadersByPrompt: competitorsShape.shape.leadersByPrompt,
  })
  .meta({ id: 'ShareInWeek', description: `The brand's share of voice in the last ${WINDOW_DAYS} days.` });

function ownRow() {
  const { sovPct, mentions } = competitorsShape.shape.shareOfVoice.element.shape;
  return { sovPct, mentions };
}

const changed = (change: string) =>
  count.describe(`How many prompts on engines have ${change} with that date.`);

const resultsInWeek = z
  .strictObject({
    cycle: date.nullable().describe('The newest date in the results response; null if nothing was answered.'),
    won: changed('the change won'),
    lost: changed('the change lost'),
    kept: changed('the change kept'),
    absent: changed('the change absent'),
    new: changed('the change new'),
    older: count.describe('How many have an older date: those engines did not answer in that cycle.'),
  })
  .meta({
    id: 'ResultsInWeek',
    description:
      'The results of the newest cycle, counted. In every week some are won and some lost by chance alone.',
  });

const ownSiteInWeek = z
  .strictObject({
    citations: count.describe("Citations of the brand's own site."),
    answers: count.describe('Answers that cite it.'),
  })
  .meta({ id: 'OwnSiteInWeek', description: `How often the brand's site was cited in ${WINDOW_DAYS} days.` });

const brandInWeek = z
  .strictObject({
    brand: brandReference,
    overallVisibility: visibilityShape.shape.overallVisibility,
    moved: visibilityShape.shape.moved,
    silent: visibilityShape.shape.silent,
    engines: z.array(engineInWeek).describe('The latest score of each engine that has one, by slug.'),
    shareOfVoice: shareInWeek,
    results: resultsInWeek,
    ownSite: ownSiteInWeek.nullable().describe("Null if the brand's domain is unreadable."),
  })
  .meta({ id: 'BrandInWeek', description: 'The facts of the week about one brand.' });

export type BrandInWeek = z.infer<typeof brandInWeek>;

const weekShape = z.strictObject({
  asOf: instant
    .nullable()
    .describe(
      `The instant that the numbers are for, UTC; null if nothing was published. A score is of this week if its date is fewer than ${WEEK_DAYS} days before it.`,
    ),
  brands: z.array(brandInWeek).describe('Every brand of the workspace, oldest first as in listBrands.'),
});

export type Week = z.infer<typeof weekShape>;

const brandsAreDistinct: Rule<Week> = ({ asOf, brands }, refuse) => {
  if (asOf === null && brands.length > 0) refuse(['asOf'], 'must not be null if there are brands');
  refuseRepeats(brands, ({ brand }) => brand.id, ['brands'], 'must be listed once', refuse);
  for (const [index, { engines }] of brands.entries())
    refuseUnlessBySlug(engines, ['brands', index, 'engines'], refuse);
};

/** The `data` of the week document (methodology, The week and the tables). */
export const weekSchema = withRules(weekShape, brandsAreDistinct).meta({
  id: 'Week',
  description: 'The week of all brands of the workspace.',
});
