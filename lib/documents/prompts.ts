import { z } from 'zod';
import { compareText } from '../methodology/text.ts';
import { refuseUnlessOldestFirst, refuseUnlessOrdered, withRules } from './rules/rules.ts';
import type { Rule } from './rules/rules.ts';
import { brandReference, foldedText, id, instant, text } from './shared.ts';

const prompt = z
  .strictObject({
    id: id.describe('Id of the prompt; equals promptId in the stability response.'),
    text: text.describe('The question exactly as sent to each engine.'),
    isActive: z.boolean().describe('False while the prompt is paused; paused prompts are not run.'),
    createdAt: instant.describe('When the prompt was created, UTC.'),
    namesBrand: z
      .boolean()
      .describe(
        "True if the text contains the brand's name as a whole word. Answers to such a prompt nearly always name the brand. Names inside unspaced Japanese, Chinese or Thai text, plurals, compounds and other spellings are not recognized.",
      ),
    tags: z.array(foldedText).describe('The distinct tags that the tracker gave the prompt, sorted.'),
  })
  .meta({ id: 'Prompt', description: 'A tracked question.' });

const shape = z.strictObject({
  brand: brandReference,
  prompts: z.array(prompt).describe('Every prompt of the brand, active and paused, oldest first.'),
});

export type Prompts = z.infer<typeof shape>;

/** Tags are distinct and sorted (methodology, Verdicts). */
const tagsAreInOrder: Rule<Prompts> = ({ prompts }, refuse) => {
  for (const [index, { tags }] of prompts.entries()) {
    const path = ['prompts', index, 'tags'];
    refuseUnlessOrdered(tags, (a, b) => compareText(a, b) < 0, path, 'must be distinct and sorted', refuse);
  }
};

/** The `data` of the prompts document (methodology, Brands and prompts, Verdicts). */
export const promptsSchema = withRules(
  shape,
  ({ prompts }, refuse) => refuseUnlessOldestFirst(prompts, ['prompts'], refuse),
  tagsAreInOrder,
).meta({ id: 'Prompts', description: 'The tracked prompts of a brand.' });
