import { changeOf } from '../../../../lib/methodology/results.ts';
import type { Connection } from '../../../duckdb.ts';
import { makeTableOf } from '../../../relations.ts';
import { documentFromText, query } from '../document.ts';
import type { PromptRow } from '../document.ts';

/** The results document (methodology, Results). */
export const results = documentFromText(query<PromptRow>(import.meta, 'prompt-results'), makeChanges);

/** The table `change_of`: what a change between two cycles is called. `is_named` and `was_named` are JSON. */
async function makeChanges(connection: Connection): Promise<void> {
  const cases = [true, false].flatMap((isNamed) =>
    [null, true, false].map((wasNamed) => ({ isNamed, wasNamed })),
  );
  await makeTableOf(connection, 'change_of', {
    is_named: { type: 'varchar', values: cases.map(({ isNamed }) => String(isNamed)) },
    was_named: { type: 'varchar', values: cases.map(({ wasNamed }) => String(wasNamed)) },
    change: { type: 'varchar', values: cases.map(({ isNamed, wasNamed }) => changeOf(isNamed, wasNamed)) },
  });
}
