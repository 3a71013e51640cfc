import { minuteEndsAt, secondsUntil } from './minute.ts';
import { openPostgresDatabase } from './postgres-database.ts';
import type { PostgresDatabase, PostgresOptions } from './postgres-database.ts';
import { postgresManagement } from './postgres-management.ts';
import { useFolding } from './postgres-uses.ts';
import type { CountedStanding, KeyStanding, KeyUse, Records } from './records.ts';

export interface PostgresRecordsOptions extends PostgresOptions {
  /** How long a logged use waits, at most, before it is folded into the last use of its key. */
  foldEveryMs?: number;
  /** Told of the first of failures to fold in a row. */
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
  uses.logged(); // by gateways that ended without folding, perhaps
  return {
    name: database.name,
    admit: async (asked) => {
      const standings = await (asked.length === 1 ? admitOne(database, asked[0]!) : admit(database, asked));
      uses.logged();
      return standings;
    },
    ...postgresManagement(database),
    ping: async () => void (await database.rows('count-plans')),
    close: async () => {
      await uses.close();
      await database.close();
    },
  };
}

/** As the select list of admit-one.sql has them. */
type OneRow = [
  keyId: string,
  workspaceId: string,
  limit: string | null,
  isRevoked: string,
  used: string,
  minute: string,
  now: string,
];

async function admitOne(database: PostgresDatabase, { hash, requests }: KeyUse): Promise<KeyStanding[]> {
  const [row] = (await database.admit('admit-one', hash, String(requests))) as OneRow[];
  if (row === undefined) return [null];
  const [keyId, workspaceId, limit, isRevoked, used, minute, now] = row;
  const key = { keyId: Number(keyId), workspaceId };
  return [standingOf(key, isRevoked, limit, () => minuteAt(minute, used, now))];
}

/** As the select list of admit.sql has them. */
type ListsRow = [...lists: (string | null)[], now: string];

async function admit(database: PostgresDatabase, uses: readonly KeyUse[]): Promise<KeyStanding[]> {
  const hashes = `{${uses.map(({ hash }) => `"\\\\x${hash}"`).join(',')}}`;
  const requests = `{${uses.map((use) => use.requests).join(',')}}`;
  const [row] = (await database.admit('admit', hashes, requests)) as [ListsRow];
  const now = row.at(-1)!;
  const [places, keyIds, workspaces, workspaceIds, limits, revoked, counted, used, minutes] = row
    .slice(0, -1)
    .map(membersOf) as Lists;
  const minuteOf = new Map(counted.map((workspace, n) => [workspace, minuteAt(minutes[n]!, used[n]!, now)]));
  const standings: KeyStanding[] = uses.map(() => null);
  for (let n = 0; n < places.length; n++) {
    const key = { keyId: Number(keyIds[n]), workspaceId: workspaceIds[n]! };
    const limit = limits[n] === 'NULL' ? null : limits[n]!;
    standings[Number(places[n]) - 1] = standingOf(key, revoked[n]!, limit, () =>
      minuteOf.get(workspaces[n]!)!,
    );
  }
  return standings;
}

type List = readonly string[];
type Lists = [List, List, List, List, List, List, List, List, List];

/** Numbers, ids and truth values need no quotes. */
function membersOf(list: string | null): List {
  return list === null ? [] : list.slice(1, -1).split(',');
}

type Minute = Pick<CountedStanding, 'used' | 'minuteEnds' | 'secondsLeft'>;

function minuteAt(minute: string, used: string, now: string): Minute {
  const minuteEnds = minuteEndsAt(Number(minute));
  return { used: Number(used), minuteEnds, secondsLeft: secondsUntil(minuteEnds, Number(now) * 1000) };
}

function standingOf(
  key: { keyId: number; workspaceId: string },
  isRevoked: string,
  limit: string | null,
  minute: () => Minute,
): KeyStanding {
  if (isRevoked === 't') return { standing: 'revoked', ...key };
  if (limit === null) return { standing: 'plan_required', ...key };
  return { standing: 'counted', ...key, limit: Number(limit), ...minute() };
}
