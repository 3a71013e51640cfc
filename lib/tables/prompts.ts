import type { Prompts } from '../documents/prompts.ts';
import { defineTable, joined } from './table.ts';

export const prompts = defineTable<Prompts['prompts'][number]>({
  name: 'prompts',
  row: 'One row for each brand and prompt, paused ones too.',
  from: ['prompts'],
  rowsOf: ({ documents }) => documents.prompts?.prompts ?? [],
  columns: [
    ['prompt_id', 'text', 'UUID', ({ id }) => id],
    ['prompt_text', 'text', 'the question', ({ text }) => text],
    ['is_active', 'boolean', 'false: paused', ({ isActive }) => isActive],
    ['created_at', 'timestamp', 'when the prompt was created, UTC', ({ createdAt }) => createdAt],
    ['names_brand', 'boolean', "the question contains the brand's name", ({ namesBrand }) => namesBrand],
    ['tags', 'text', 'tags, separated by `; `', ({ tags }) => joined(tags, '; '), 'none'],
  ],
});
