import { changeOf } from '../../../../lib/methodology/results.ts';
import type { Connection } from '../../../duckdb.ts';
import { makeTableOf } from '../../../relations.ts';
import { brandJson, documentSource, promptsJson, query } from '../document.ts';
import type { PromptRow } from '../document.ts';

const queries = { prompts: query<PromptRow>(import.meta, 'prompt-results') };

/**
 * The results document (methodology, Results), in the canonical form of `encodeDocument`. A test compares it with the
 * schema.
 */
export const results = documentSource(
  queries,
  (brand, { prompts }) =>
    Buffer.from(`{"data":{"brand":${brandJson(brand)},"prompts":${promptsJson(prompts)}}}\n`),
  makeChanges,
);

/** The table `change_of`: what a change between two cycles is called. */
async function makeChanges(connection: Connection): Promise<void> {
  const cases = [true, false].flatMap((isNamed) =>
    [null, true, false].map((wasNamed) => ({ isNamed, wasNamed })),
  );
  const column = (read: (each: (typeof cases)[number]) => boolean) => ({
    type: 'integer' as const,
    values: cases.map((each) => Number(read(each))),
  });
  await makeTableOf(connection, 'change_of', {
    is_named: column(({ isNamed }) => isNamed),
    previous_cycles: column(({ wasNamed }) => wasNamed !== null),
    was_named: column(({ wasNamed }) => wasNamed === true),
    change: { type: 'varchar', values: cases.map(({ isNamed, wasNamed }) => changeOf(isNamed, wasNamed)) },
  });
}
