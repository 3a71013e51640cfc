import type { Timeline } from '../documents/timeline.ts';
import { defineTable } from './table.ts';

interface Cycle extends Pick<Timeline['names'][number], 'name' | 'isBrand'> {
  engine: string;
  date: string;
  answered: number;
  named: number;
}

export const timeline = defineTable<Cycle>({
  name: 'timeline',
  row: 'One row for each brand, name (the brand and its competitors), engine and cycle, of the newest 104.',
  from: ['timeline'],
  rowsOf: ({ documents }) =>
    (documents.timeline?.names ?? []).flatMap(({ name, isBrand, engines }) =>
      engines.flatMap(({ slug, promptsNamed }, at) => {
        const { dates, promptsAnswered } = documents.timeline!.engines[at]!;
        return dates.map((date, cycle) => ({
          name,
          isBrand,
          engine: slug,
          date,
          answered: promptsAnswered[cycle]!,
          named: promptsNamed[cycle]!,
        }));
      }),
    ),
  columns: [
    ['name', 'text', 'the brand or a competitor', ({ name }) => name],
    ['is_brand', 'boolean', 'the brand itself', ({ isBrand }) => isBrand],
    ['engine', 'text', 'slug of the engine', ({ engine }) => engine],
    ['date', 'date', 'the cycle', ({ date }) => date],
    ['prompts_answered', 'integer', 'prompts answered in that cycle', ({ answered }) => answered],
    ['prompts_named', 'integer', 'those in which an answer named it', ({ named }) => named],
  ],
});
