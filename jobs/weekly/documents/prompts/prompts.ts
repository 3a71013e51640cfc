import type { Prompts } from '../../../../lib/documents/prompts.ts';
import { formatInstant } from '../../../../lib/methodology/instant.ts';
import type { Micros } from '../../../../lib/methodology/instant.ts';
import { documentFromRows, query } from '../document.ts';

type Row = Omit<Prompts['prompts'][number], 'createdAt'> & { createdAt: Micros };

const queries = { prompts: query<Row>(import.meta, 'prompts') };

/** The prompts document (methodology, Brands and prompts). */
export const prompts = documentFromRows('prompts', queries, (rows) => ({
  prompts: rows.prompts.map(({ createdAt, ...prompt }) => ({
    ...prompt,
    createdAt: formatInstant(createdAt),
  })),
}));
