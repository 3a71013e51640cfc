import { engineSlugs } from 'sightline-client/words';
import { z } from 'zod';
import { documentNames } from './documents.ts';

const count = z.number().int();

export const brand = z.string().trim().min(1).max(1000).describe('Its name, or its id from list_brands.');

export const document = z.enum(documentNames);

export const week = z
  .string()
  .min(1)
  .max(100)
  .describe(
    'A snapshot id, or a day as YYYY-MM-DD: the newest snapshot as of that day or before. Default: the current week.',
  );

/** The arguments of tools with lists of rows. */
export const paging = {
  offset: count.min(0).optional().describe('Rows to skip.'),
  limit: count.min(1).optional().describe('At most this number of rows.'),
};

/** How to ask for less of a list that has no other filter. */
export const LESS_ROWS = 'For less, give limit.';

export const narrowing = {
  change: z
    .enum(['new', 'won', 'lost', 'kept', 'absent'])
    .optional()
    .describe('Only results with this change.'),
  trend: z.boolean().optional().describe('True: with the weekly scores of visibility.'),
  engines: z
    .array(z.enum(engineSlugs))
    .min(1)
    .optional()
    .describe('Only these, in visibility, results and stability.'),
  // The API accepts ids in upper case; documents have lower case.
  promptIds: z
    .array(z.guid().toLowerCase())
    .min(1)
    .optional()
    .describe('Only these, in results, stability and prompts.'),
};
