import { changeOf } from '../../../../lib/methodology/results.ts';
import type { Connection } from '../../../duckdb.ts';
import { makeTableOf } from '../../../relations.ts';
import { encodeText, selectByBrand } from '../document.ts';
import type { DocumentSource } from '../document.ts';

/** The results document (methodology, Results). */
export const results: DocumentSource = async (connection, slice) => {
  await makeChanges(connection);
  return encodeText(await selectByBrand(connection, import.meta, 'prompt-results', slice));
};

/** The table `change_of`: what a change between two cycles is called. `is_named` and `was_named` are JSON. */
async function makeChanges(connection: Connection): Promise<void> {
  const rows = [true, false].flatMap((isNamed) =>
    [null, true, false].map((wasNamed) => ({
      is_named: String(isNamed),
      was_named: String(wasNamed),
      change: changeOf(isNamed, wasNamed),
    })),
  );
  const columns = { is_named: 'varchar', was_named: 'varchar', change: 'varchar' } as const;
  await makeTableOf(connection, 'change_of', columns, rows);
}
