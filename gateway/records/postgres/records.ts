import { postgresAdmission } from './admission.ts';
import { openPostgresDatabase } from './database.ts';
import type { PostgresOptions } from './database.ts';
import { postgresManagement } from './management.ts';
import { useFolding } from './uses.ts';
import type { Records } from '../records.ts';

export interface PostgresRecordsOptions extends PostgresOptions {
  /** How long a logged use waits, at most, before it is folded into the last use of its key. */
  foldEveryMs?: number;
  /** Called with the first of several failures to fold in a row. */
  onFoldingFailed?: ((error: unknown) => void) | undefined;
}

/** Long enough that folding is hardly felt: 1 % of a core at 1,000 batches a second; short enough for a short log. */
const FOLD_EVERY_MS = 1000;

/**
 * Records in PostgreSQL, for any number of gateways, whose minute its clock decides.
 * @throws Failure where the server cannot be reached or the schema was made by a newer version.
 */
export async function openPostgresRecords(url: string, options: PostgresRecordsOptions): Promise<Records> {
  const database = await openPostgresDatabase(url, options);
  const uses = useFolding(database.rows, options.foldEveryMs ?? FOLD_EVERY_MS, options.onFoldingFailed);
  const admit = postgresAdmission(database);
  uses.logged(); // by gateways that ended without folding, perhaps
  return {
    name: database.name,
    admit: async (asked) => {
      const standings = await admit(asked);
      uses.logged();
      return standings;
    },
    ...postgresManagement(database),
    ping: async () => void (await database.rows('copy/count-plans')),
    close: async () => {
      await uses.close();
      await database.close();
    },
  };
}
