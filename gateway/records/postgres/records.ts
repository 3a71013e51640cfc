import { postgresAdmission } from './admission.ts';
import { openPostgresDatabase } from './database.ts';
import type { PostgresOptions } from './database.ts';
import { postgresManagement } from './management.ts';
import { useFolding } from './uses.ts';
import type { Records } from '../records.ts';

export interface PostgresRecordsOptions extends PostgresOptions {
  /** The longest time in milliseconds until a logged use is folded into the last use of its key. */
  foldEveryMs?: number;
  /** Called with the first of consecutive failures to fold. */
  onFoldingFailed?: ((error: unknown) => void) | undefined;
}

/** Folding takes 1 % of a core at 1,000 batches a second; a longer interval makes the log larger. */
const FOLD_EVERY_MS = 1000;

/**
 * Records in PostgreSQL, for any number of gateways. The server's clock decides the minute.
 * @throws Failure if the server cannot be reached or the schema was made by a newer version.
 */
export async function openPostgresRecords(url: string, options: PostgresRecordsOptions): Promise<Records> {
  const database = await openPostgresDatabase(url, options);
  const uses = useFolding(database.rows, options.foldEveryMs ?? FOLD_EVERY_MS, options.onFoldingFailed);
  const admit = postgresAdmission(database);
  uses.logged(); // gateways that were killed may have left uses in the log
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
