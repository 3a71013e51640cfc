import { z } from 'zod';
import { refuseUnlessOldestFirst, withRules } from './rules/rules.ts';
import { brandReference, id, instant, text } from './shared.ts';

const prompt = z
  .strictObject({
    id: id.describe('Id of the prompt; equals promptId in the stability response.'),
    text: text.describe('The question exactly as sent to each engine.'),
    isActive: z.boolean().describe('False while the prompt is paused; paused prompts are not run.'),
    createdAt: instant.describe('When the prompt was created, UTC.'),
  })
  .meta({ id: 'Prompt', description: 'A tracked question.' });

const shape = z.strictObject({
  brand: brandReference,
  prompts: z.array(prompt).describe('Every prompt of the brand, active and paused, oldest first.'),
});

/** The `data` of the prompts document (methodology, Brands and prompts). */
export const promptsSchema = withRules(shape, ({ prompts }, refuse) =>
  refuseUnlessOldestFirst(prompts, ['prompts'], refuse),
).meta({ id: 'Prompts', description: 'The tracked prompts of a brand.' });

export type Prompts = z.infer<typeof promptsSchema>;
