import { planAllowances } from '../../../lib/plans.ts';
import { Records } from '../records.ts';
import { standingOf, UNKNOWN_KEY } from '../standing.ts';
import type { KeyStanding, KeyUse } from '../standing.ts';
import { openPostgresDatabase } from './database.ts';
import type { PostgresOptions, RunAdmission } from './database.ts';

/**
 * Records in PostgreSQL, for any number of gateways. The server's clock decides the minute.
 * @throws Failure if the server cannot be reached or the schema was made by a newer version.
 */
export async function openPostgresRecords(url: string, options: PostgresOptions): Promise<Records> {
  const database = await openPostgresDatabase(url, options);
  const { admit } = database;
  return new Records({ ...database, admit: async (uses) => await admitAll(admit, uses) });
}

const ALLOWANCES = JSON.stringify(planAllowances);

/** The columns are those of admit.sql. */
type ListsRow = [...lists: (string | null)[], now: string, synchronousCommit: string];

async function admitAll(admit: RunAdmission, uses: readonly KeyUse[]): Promise<KeyStanding[]> {
  const hashes = `{${uses.map(({ hash }) => hash).join(',')}}`;
  const requests = `{${uses.map((use) => use.requests).join(',')}}`;
  const [row] = (await admit(hashes, requests, ALLOWANCES)) as [ListsRow];
  const nowMs = Number(row.at(-2)) * 1000;
  const [places, keyIds, workspaces, workspaceIds, limits, revoked, counted, used, minutes] = row
    .slice(0, -2)
    .map(membersOf) as Lists;
  const counts = new Map(
    counted.map((workspace, n) => [workspace, { minute: Number(minutes[n]), requests: Number(used[n]) }]),
  );
  const standings: KeyStanding[] = uses.map(() => UNKNOWN_KEY);
  for (let n = 0; n < places.length; n++) {
    const key = { keyId: Number(keyIds[n]), workspaceId: workspaceIds[n]! };
    const limit = limits[n] === 'NULL' ? null : Number(limits[n]);
    const count = counts.get(workspaces[n]!);
    standings[Number(places[n]) - 1] = standingOf(key, revoked[n] === 't', limit, count, nowMs);
  }
  return standings;
}

type List = readonly string[];
type Lists = [List, List, List, List, List, List, List, List, List];

/** The members of an array in PostgreSQL's text format; numbers, ids and booleans are not quoted. */
function membersOf(list: string | null): List {
  return list === null ? [] : list.slice(1, -1).split(',');
}
