import type { Clock } from '../../lib/clock.ts';
import { minuteEndsAt, minuteOf, secondsUntil } from './minute.ts';
import type { KeyStanding, KeyUse, Records } from './records.ts';
import { openSqliteDatabase } from './sqlite-database.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { sqliteManagement } from './sqlite-management.ts';

export interface SqliteOptions {
  clock: Clock;
  /** How long to wait for another process that writes. Everything in this process waits too: keep it short. */
  busyTimeoutMs?: number;
}

const BUSY_TIMEOUT_MS = 250;

/**
 * Records in one file, for one machine; gateway and commands may use it at the same time.
 * @throws Failure where it cannot be opened or was made by a newer version.
 */
export function openSqliteRecords(path: string, options: SqliteOptions): Records {
  const database = openSqliteDatabase(path, options.busyTimeoutMs ?? BUSY_TIMEOUT_MS);
  const { clock } = options;
  return {
    name: path,
    admit: sqliteAdmission(database, clock),
    ...sqliteManagement(database, clock),
    ping: async () => void database.rows('count-plans'),
    close: async () => database.close(),
  };
}

type FoundKey = [
  keyId: number,
  workspace: number,
  workspaceId: string,
  revoked: number,
  limit: number | null,
];
type CountedMinute = [requests: number, minute: number];

function sqliteAdmission(database: SqliteDatabase, clock: Clock): (uses: readonly KeyUse[]) => KeyStanding[] {
  const find = database.prepare('find-key');
  const stamp = database.prepare('stamp-use');
  const count = database.prepare('count-requests');

  const admitAll = (uses: readonly KeyUse[]): KeyStanding[] => {
    const now = clock.now();
    const found = uses.map((use) => find.first(use.hash) as FoundKey | undefined);
    const added = new Map<number, number>();
    for (const [index, key] of found.entries()) {
      if (key === undefined) continue;
      const [keyId, workspace, , revoked, limit] = key;
      stamp.run(now, keyId);
      if (revoked === 0 && limit !== null) {
        added.set(workspace, (added.get(workspace) ?? 0) + uses[index]!.requests);
      }
    }
    const minutes = new Map<number, CountedMinute>();
    for (const [workspace, requests] of added) {
      minutes.set(workspace, count.first(minuteOf(now), requests, workspace) as CountedMinute);
    }
    return found.map((key) => (key === undefined ? null : standingOf(key, minutes, now)));
  };

  return (uses) => database.transaction(() => admitAll(uses));
}

function standingOf(key: FoundKey, minutes: Map<number, CountedMinute>, now: number): KeyStanding {
  const [keyId, workspace, workspaceId, revoked, limit] = key;
  if (revoked !== 0) return { standing: 'revoked', keyId, workspaceId };
  if (limit === null) return { standing: 'plan_required', keyId, workspaceId };
  const [used, minute] = minutes.get(workspace)!;
  const minuteEnds = minuteEndsAt(minute);
  const secondsLeft = secondsUntil(minuteEnds, now);
  return { standing: 'counted', keyId, workspaceId, limit, used, minuteEnds, secondsLeft };
}
