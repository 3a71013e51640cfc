import { z } from 'zod';
import { TIMELINE_SIZE } from '../methodology/constants.ts';
import { compareText } from '../methodology/text.ts';
import { refuseUnlessBySlug, refuseUnlessOrdered, withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { brandReference, count, date, engineSlug, text } from './shared.ts';

const engineCycles = z
  .strictObject({
    slug: engineSlug,
    dates: z
      .array(date)
      .min(1)
      .max(TIMELINE_SIZE)
      .describe(
        `The ${TIMELINE_SIZE} newest weekly cycles in which the engine answered, oldest first. All lists of this engine have one entry for each, in the same order.`,
      ),
    promptsAnswered: z
      .array(count.min(1))
      .describe('Prompts that the engine answered in each cycle: the denominator of promptsNamed.'),
    answers: z.array(count.min(1)).describe('Answers of the engine in each cycle.'),
  })
  .meta({ id: 'TimelineEngine', description: 'The weekly cycles of an engine.' });

const namedOnEngine = z
  .strictObject({
    slug: engineSlug,
    promptsNamed: z
      .array(count)
      .describe('Prompts with at least one answer in that cycle that names it; one entry for each of dates.'),
  })
  .meta({ id: 'TimelineCounts', description: 'How often a name was named on an engine, week by week.' });

const timelineName = z
  .strictObject({
    name: text.describe('The brand, or a tracked competitor.'),
    isBrand: z.boolean().describe("True for the brand's own entry, which is the first."),
    engines: z
      .array(namedOnEngine)
      .describe(
        'The same engines in the same order as above. A competitor counts by its id: weeks in which the tracker did not give that id yet are 0.',
      ),
  })
  .meta({ id: 'TimelineName', description: 'One name, week by week on each engine.' });

const timelineShape = z.strictObject({
  brand: brandReference,
  engines: z.array(engineCycles).describe('One entry for each engine with a score, by slug.'),
  names: z
    .array(timelineName)
    .min(1)
    .describe('The brand first, then the tracked competitors by name; a name may appear twice.'),
});

export type Timeline = z.infer<typeof timelineShape>;

const isOlder = (a: string, b: string) => compareText(a, b) < 0;

const cyclesAreInOrder: Rule<Timeline> = ({ engines }, refuse) => {
  refuseUnlessBySlug(engines, ['engines'], refuse);
  for (const [index, { dates, promptsAnswered, answers }] of engines.entries()) {
    const path = ['engines', index];
    refuseUnlessOrdered(dates, isOlder, [...path, 'dates'], 'must be oldest first, one a date', refuse);
    if (promptsAnswered.length !== dates.length || answers.length !== dates.length)
      refuse(path, 'must have one entry a date in each list');
  }
};

const isByName = (a: Timeline['names'][number], b: typeof a) =>
  (Number(b.isBrand) - Number(a.isBrand) || compareText(a.name, b.name)) <= 0;

const namesAreCounted: Rule<Timeline> = ({ engines, names }, refuse) => {
  if (names.filter(({ isBrand }) => isBrand).length !== 1) refuse(['names'], 'must have the brand once');
  refuseUnlessOrdered(names, isByName, ['names'], 'must be the brand, then by name', refuse);
  for (const [index, name] of names.entries()) {
    const isCounted = engines.every(({ slug, promptsAnswered }, at) => {
      const own = name.engines[at];
      return (
        own?.slug === slug &&
        own.promptsNamed.length === promptsAnswered.length &&
        own.promptsNamed.every((named, cycle) => named <= promptsAnswered[cycle]!)
      );
    });
    if (!isCounted || name.engines.length !== engines.length)
      refuse(
        ['names', index, 'engines'],
        'must have the engines and cycles of engines, and no higher counts',
      );
  }
};

/** The `data` of the timeline document (methodology, Questions). */
export const timelineSchema = withRules(timelineShape, cyclesAreInOrder, namesAreCounted).meta({
  id: 'Timeline',
  description: 'Who was named, week by week on each engine.',
});
