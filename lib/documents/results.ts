import { z } from 'zod';
import { resultChanges } from '../methodology/results.ts';
import { refuseRepeats, refuseUnlessBySlug, withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { brandReference, date, engineSlug, id, link, text } from './shared.ts';

const bestPosition = z.number().int().min(1).nullable();

const evidence = z
  .strictObject({
    url: link.nullable().describe('Where the tracker keeps the answer; null if it gave no link.'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits in lower case')
      .nullable()
      .describe("SHA-256 of the answer's text in UTF-8, as the tracker gave it; null if it gave none."),
  })
  .meta({ id: 'AnswerEvidence', description: 'Where an answer can be read, and the hash of its text.' });

const engineResult = z
  .strictObject({
    slug: engineSlug,
    date: date.describe('The latest weekly cycle in which the engine answered the prompt.'),
    isNamed: z.boolean().describe('True if at least one of its answers in that cycle names the brand.'),
    position: bestPosition.describe(
      'Best position of the brand in those answers, 1 is named first; null if it is not named.',
    ),
    previousDate: date
      .nullable()
      .describe('The newest earlier cycle in which the engine answered the prompt; null if there is none.'),
    wasNamed: z
      .boolean()
      .nullable()
      .describe('The same as isNamed for the cycle of previousDate; null if there is none.'),
    previousPosition: bestPosition.describe('The same as position for the cycle of previousDate.'),
    change: z
      .enum(resultChanges)
      .describe(
        'new: no earlier cycle; won: named now, not before; lost: named before, not now; kept: named in both; absent: named in neither. One prompt on one engine is one random draw: a single change is not evidence of a trend.',
      ),
    evidence: z
      .array(evidence)
      .describe(
        'The answers of that cycle that the tracker gave a link or a hash for, oldest first, whether they name the brand or not. Sightline has not read them: the hash only proves that a text shown later is the one recorded.',
      ),
  })
  .meta({
    id: 'EngineResult',
    description: 'The result of a prompt on an engine in its latest cycle, and in the one before.',
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
  .meta({ id: 'PromptResult', description: 'The results of one prompt on each engine.' });

const resultsShape = z.strictObject({
  brand: brandReference,
  prompts: z
    .array(promptResult)
    .describe('The active prompts with at least one answer, oldest first: those of the stability response.'),
});

export type Results = z.infer<typeof resultsShape>;

const promptsAreDistinct: Rule<Results> = ({ prompts }, refuse) => {
  refuseRepeats(prompts, (prompt) => prompt.promptId, ['prompts'], 'must be listed once', refuse);
  for (const [index, { engines }] of prompts.entries())
    refuseUnlessBySlug(engines, ['prompts', index, 'engines'], refuse);
};

/** The `data` of the results document (methodology, Results). */
export const resultsSchema = withRules(resultsShape, promptsAreDistinct).meta({
  id: 'Results',
  description: 'The result of each prompt on each engine in its latest cycle, and in the one before.',
});
