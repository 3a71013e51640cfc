import type { Clock } from '../../../lib/clock.ts';
import { minuteEndsAt, minuteOf, secondsUntil } from '../minute.ts';
import type { KeyStanding, KeyUse, Records, RecordsPurpose } from '../records.ts';
import { openSqliteDatabase } from './database.ts';
import type { SqliteDatabase } from './database.ts';
import { sqliteManagement } from './management.ts';

export interface SqliteOptions {
  clock: Clock;
  /** Milliseconds to wait for another process that writes. The whole process waits, so keep it short. */
  busyTimeoutMs?: number;
  /** `create` unless given. */
  purpose?: RecordsPurpose;
}

const BUSY_TIMEOUT_MS = 250;

/**
 * Records in one SQLite file, for one machine; a gateway and commands may use it at the same time.
 * @throws Failure if it cannot be opened or was made by a newer version.
 */
export function openSqliteRecords(path: string, options: SqliteOptions): Records {
  const { clock, busyTimeoutMs = BUSY_TIMEOUT_MS, purpose = 'create' } = options;
  const database = openSqliteDatabase(path, { busyTimeoutMs, purpose });
  return {
    name: path,
    admit: sqliteAdmission(database, clock),
    ...sqliteManagement(database, clock),
    ping: async () => void database.rows('copy/count-plans'),
    close: async () => database.close(),
  };
}

/** The columns are those of find-keys.sql. */
type FoundKey = [
  place: number,
  keyId: number,
  workspace: number,
  workspaceId: string,
  revoked: number,
  limit: number | null,
  minute: number,
  requests: number,
];

interface CountedMinute {
  minute: number;
  requests: number;
}

function sqliteAdmission(database: SqliteDatabase, clock: Clock): (uses: readonly KeyUse[]) => KeyStanding[] {
  const find = database.prepare('admission/find-keys');
  const stamp = database.prepare('admission/stamp-use');
  const count = database.prepare('admission/count-requests');

  const admitAll = (uses: readonly KeyUse[]): KeyStanding[] => {
    const now = clock.now();
    const minutes = new Map<number, CountedMinute>();
    const found = find.all(JSON.stringify(uses.map(({ hash }) => hash))) as FoundKey[];
    for (const key of found) {
      const [place, keyId, workspace, , revoked, limit] = key;
      stamp.run(now, keyId);
      if (revoked === 0 && limit !== null) {
        raise(minutes, workspace, uses[place]!.requests, key, minuteOf(now));
      }
    }
    for (const [workspace, { minute, requests }] of minutes) count.run(minute, requests, workspace);
    const standings: KeyStanding[] = uses.map(() => null);
    for (const key of found) standings[key[0]] = standingOf(key, minutes, now);
    return standings;
  };

  return (uses) => database.transaction(() => admitAll(uses));
}

/**
 * Counts the requests of all keys of a workspace in this batch, before any of them is judged. A later minute that
 * another process has opened stays open, so that no process admits more than the allowance. A minute far in the future
 * comes from a clock that was set back, and is abandoned.
 */
function raise(
  minutes: Map<number, CountedMinute>,
  workspace: number,
  added: number,
  [, , , , , , stored, requests]: FoundKey,
  thisMinute: number,
): void {
  const counted = minutes.get(workspace);
  if (counted !== undefined) {
    counted.requests += added;
    return;
  }
  const goesOn = stored === thisMinute || stored === thisMinute + 1;
  minutes.set(workspace, {
    minute: goesOn ? stored : thisMinute,
    requests: goesOn ? requests + added : added,
  });
}

function standingOf(key: FoundKey, minutes: Map<number, CountedMinute>, now: number): KeyStanding {
  const [, keyId, workspace, workspaceId, revoked, limit] = key;
  if (revoked !== 0) return { standing: 'revoked', keyId, workspaceId };
  if (limit === null) return { standing: 'plan_required', keyId, workspaceId };
  const { minute, requests: used } = minutes.get(workspace)!;
  const minuteEnds = minuteEndsAt(minute);
  const secondsLeft = secondsUntil(minuteEnds, now);
  return { standing: 'counted', keyId, workspaceId, limit, used, minuteEnds, secondsLeft };
}
