import { z } from 'zod';
import { resultChanges } from '../methodology/results.ts';
import { resultsAreSound } from './rules/results.ts';
import { withRules } from './rules/rules.ts';
import { brandReference, date, engineSlug, id, text } from './shared.ts';

const position = z.number().int().min(1).nullable();

const engineResult = z
  .strictObject({
    slug: engineSlug,
    date: date.describe('The latest weekly cycle in which the engine answered the prompt.'),
    isNamed: z.boolean().describe('True where at least one of its answers in that cycle names the brand.'),
    position: position.describe(
      'Best position of the brand in those answers, 1 is named first; null where it is not named.',
    ),
    previousDate: date
      .nullable()
      .describe(
        'The latest cycle before date in which the engine answered the prompt; null where there is none.',
      ),
    wasNamed: z.boolean().nullable().describe('As isNamed, of the cycle before; null where there is none.'),
    previousPosition: position.describe('As position, of the cycle before.'),
    change: z
      .enum(resultChanges)
      .describe(
        'new: no cycle before; won: named now and not before; lost: named before and not now; kept: named in both; absent: named in neither. One prompt on one engine is one draw: a single change says nothing about significance.',
      ),
  })
  .meta({
    id: 'EngineResult',
    description: 'What a prompt gave on an engine in its latest cycle, and in the cycle before.',
  });

const promptResult = z
  .strictObject({
    promptId: id.describe('Id of the prompt.'),
    promptText: text.describe('The question as tracked.'),
    engines: z
      .array(engineResult)
      .min(1)
      .describe('One entry for each engine that ever answered the prompt, by slug.'),
  })
  .meta({ id: 'PromptResult', description: 'What one prompt gave on each engine.' });

const resultsShape = z.strictObject({
  brand: brandReference,
  prompts: z
    .array(promptResult)
    .describe('The active prompts with at least one answer, oldest first: those of the stability response.'),
});

/** The `data` of the results document (methodology, Results). */
export const resultsSchema = withRules(resultsShape, resultsAreSound).meta({
  id: 'Results',
  description: 'What each prompt gave on each engine in its latest week and in the week before.',
});

export type Results = z.infer<typeof resultsShape>;
