import { minuteEndsAt, secondsUntil } from '../minute.ts';
import type { PostgresDatabase, RunAdmission } from './database.ts';
import type { CountedStanding, KeyStanding, KeyUse, Records } from '../records.ts';

/** Admits a batch; throws the driver's errors. */
export function postgresAdmission({ admit }: PostgresDatabase): Records['admit'] {
  return async (uses) => (uses.length === 1 ? await askOne(admit, uses[0]!) : await askAll(admit, uses));
}

/** The columns are those of admit-one.sql. */
type OneRow = [
  keyId: string,
  workspaceId: string,
  limit: string | null,
  isRevoked: string,
  used: string,
  minute: string,
  now: string,
  synchronousCommit: string,
];

async function askOne(admit: RunAdmission, { hash, requests }: KeyUse): Promise<KeyStanding[]> {
  const [row] = (await admit('admission/admit-one', hash, String(requests))) as OneRow[];
  if (row === undefined) return [null];
  const [keyId, workspaceId, limit, isRevoked, used, minute, now] = row;
  const key = { keyId: Number(keyId), workspaceId };
  return [standingOf(key, isRevoked, limit, () => minuteAt(minute, used, now))];
}

/** The columns are those of admit.sql. */
type ListsRow = [...lists: (string | null)[], now: string, synchronousCommit: string];

async function askAll(admit: RunAdmission, uses: readonly KeyUse[]): Promise<KeyStanding[]> {
  const requests = `{${uses.map((use) => use.requests).join(',')}}`;
  const [row] = (await admit('admission/admit', hashesOf(uses), requests)) as [ListsRow];
  const now = row.at(-2)!;
  const [places, keyIds, workspaces, workspaceIds, limits, revoked, counted, used, minutes] = row
    .slice(0, -2)
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

/** The members of an array in PostgreSQL's text format; numbers, ids and booleans are not quoted. */
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

/** A list of bytea in PostgreSQL's text format. */
function hashesOf(uses: readonly KeyUse[]): string {
  return `{${uses.map(({ hash }) => `"\\\\x${hash}"`).join(',')}}`;
}
