import type { Clock } from '../../../lib/clock.ts';
import { Records } from '../records.ts';
import { limitOf, minuteOf, standingOf, UNKNOWN_KEY } from '../standing.ts';
import type { CountedMinute, KeyStanding, KeyUse } from '../standing.ts';
import type { RunSql } from '../sql.ts';
import { openSqliteDatabase } from './database.ts';
import type { SqliteDatabase, SqliteOptions } from './database.ts';

/**
 * Records in one SQLite file, for one machine; a gateway and commands may use it at the same time.
 * @throws Failure if it cannot be opened or was made by a newer version.
 */
export function openSqliteRecords(path: string, options: SqliteOptions): Records {
  const { clock } = options;
  const database = openSqliteDatabase(path, options);
  const rows: RunSql = async (file, ...parameters) => database.rows(file, ...parameters);
  const close = async () => database.close();
  return new Records({ name: path, admit: sqliteAdmission(database, clock), close, rows });
}

/** A row of find-keys.sql. */
interface FoundKey {
  place: number;
  key_id: number;
  workspace: number;
  workspace_id: string;
  is_revoked: number;
  plan: string;
  requests_per_minute: number | null;
  minute: number;
  requests: number;
  is_unused: number;
}

function sqliteAdmission(database: SqliteDatabase, clock: Clock): (uses: readonly KeyUse[]) => KeyStanding[] {
  const admitAll = (uses: readonly KeyUse[]): KeyStanding[] => {
    const now = clock.now();
    const second = new Date(now - (now % 1000)).toISOString();
    const counts = new Map<number, CountedMinute>();
    const hashes = JSON.stringify(uses.map(({ hash }) => hash));
    const found = database.rows<FoundKey>('sqlite/sql/find-keys', hashes, second);
    const limits = found.map((key) => limitOf(key.plan, key.requests_per_minute));
    for (const [n, key] of found.entries()) {
      if (key.is_unused === 1) database.rows('sqlite/sql/stamp-key', second, key.key_id);
      if (key.is_revoked === 0 && limits[n] !== null) {
        raise(counts, key, uses[key.place]!.requests, minuteOf(now));
      }
    }
    for (const [workspace, { minute, requests }] of counts) {
      database.rows('sqlite/sql/count-requests', minute, requests, workspace);
    }
    const standings: KeyStanding[] = uses.map(() => UNKNOWN_KEY);
    for (const [n, key] of found.entries()) {
      const ids = { keyId: key.key_id, workspaceId: key.workspace_id };
      const counted = counts.get(key.workspace);
      standings[key.place] = standingOf(ids, key.is_revoked === 1, limits[n]!, counted, now);
    }
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
  counts: Map<number, CountedMinute>,
  { workspace, minute, requests }: FoundKey,
  added: number,
  thisMinute: number,
): void {
  const counted = counts.get(workspace);
  if (counted !== undefined) {
    counted.requests += added;
    return;
  }
  const goesOn = minute === thisMinute || minute === thisMinute + 1;
  counts.set(workspace, {
    minute: goesOn ? minute : thisMinute,
    requests: goesOn ? requests + added : added,
  });
}
