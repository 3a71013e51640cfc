import { minuteEndsAt, secondsUntil } from './minute.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import type { PostgresDatabase, PostgresOptions } from './postgres-database.ts';
import { postgresManagement } from './postgres-management.ts';
import type { KeyStanding, KeyUse, Records } from './records.ts';

/**
 * Records in PostgreSQL, for any number of gateways, whose minute its clock decides.
 * @throws Failure where the server cannot be reached or the schema was made by a newer version.
 */
export async function openPostgresRecords(url: string, options: PostgresOptions): Promise<Records> {
  const database = await openPostgresDatabase(url, options);
  return {
    name: database.name,
    admit: (uses) => admit(database, uses),
    ...postgresManagement(database),
    ping: async () => void (await database.rows('count-plans')),
    close: () => database.close(),
  };
}

/** As the select list of admit.sql has them: a key, or the minute of a workspace. */
type Row = [
  place: number | null,
  keyId: number,
  workspace: number,
  workspaceId: string,
  isRevoked: boolean,
  limit: number | null,
  used: number,
  minute: number,
  now: number,
];

async function admit(database: PostgresDatabase, uses: readonly KeyUse[]): Promise<KeyStanding[]> {
  const [only] = uses;
  if (only !== undefined && uses.length === 1) {
    const [row] = (await database.admit('admit-one', only.hash, String(only.requests))) as Row[];
    return [row === undefined ? null : standingOf(row, row)];
  }
  const hashes = `{${uses.map(({ hash }) => `"\\\\x${hash}"`).join(',')}}`;
  const requests = `{${uses.map((use) => use.requests).join(',')}}`;
  const rows = (await database.admit('admit', hashes, requests)) as Row[];
  const minutes = new Map<number, Row>();
  for (const row of rows) if (row[0] === null) minutes.set(row[2], row);
  const standings: KeyStanding[] = uses.map(() => null);
  for (const row of rows) if (row[0] !== null) standings[row[0] - 1] = standingOf(row, minutes.get(row[2]));
  return standings;
}

/** `counted`: the row with the minute of the key's workspace. */
function standingOf(row: Row, counted: Row | undefined): KeyStanding {
  const [, keyId, , workspaceId, isRevoked, limit] = row;
  if (isRevoked) return { standing: 'revoked', keyId, workspaceId };
  if (limit === null) return { standing: 'plan_required', keyId, workspaceId };
  const [, , , , , , used, minute, now] = counted!;
  const minuteEnds = minuteEndsAt(minute);
  const secondsLeft = secondsUntil(minuteEnds, now * 1000);
  return { standing: 'counted', keyId, workspaceId, limit, used, minuteEnds, secondsLeft };
}
