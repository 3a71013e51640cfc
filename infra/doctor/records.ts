import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../../lib/clock.ts';
import { judgeClock } from './clock.ts';
import { findRoom, findWritable } from './disk.ts';
import { examine, failure, ok, warning } from './finding.ts';
import type { Finding } from './finding.ts';
import { readPostgresDatabase } from '../../gateway/records/postgres/database.ts';
import { obstacleIn } from '../../gateway/records/postgres/rights.ts';
import type { Rights } from '../../gateway/records/postgres/rights.ts';
import { postgresName } from '../../gateway/records/postgres/settings.ts';
import { COMMAND_MAX_WAIT_MS, toWorkspace } from '../../gateway/records/records.ts';
import type { WorkspaceRow } from '../../gateway/records/records.ts';
import { knownSchemaVersion, postgresSchemaVersion } from '../../gateway/records/schema.ts';
import type { Dialect, RunSql } from '../../gateway/records/sql.ts';
import { readSqliteDatabase } from '../../gateway/records/sqlite/database.ts';

export async function examineSqlite(path: string): Promise<Finding[]> {
  const room = await findRoom('records: disk', dirname(path), 'or move the records to a larger disk');
  if (!existsSync(path)) return [judgeSchema('sqlite', 0), room];
  const remedy =
    'make room if its disk is full; otherwise put a backup back in its place (docs/procedures.md, Restore), or name another file in RECORDS_URL';
  const read = await examine('records', remedy, async () =>
    readSqliteDatabase(path, COMMAND_MAX_WAIT_MS, (reading) => {
      const version = reading.schemaVersion();
      const findings = [ok('records', path), judgeSchema('sqlite', version)];
      if (version !== knownSchemaVersion('sqlite')) return findings;
      return [...findings, judgeWorkspaces(reading.rows<WorkspaceRow>('sql/list-workspaces', null))];
    }),
  );
  // SQLite creates its own files next to the records while it writes.
  const places = [path, dirname(path)];
  const writable = places.map((place) => findWritable('records: writable', place, 'a gateway'));
  const found = await Promise.all(writable);
  return [...read, found.find(({ state }) => state !== 'ok') ?? found[0]!, room];
}

export async function examinePostgres(url: string): Promise<Finding[]> {
  const remedy = 'start the server, or correct address, user and password in RECORDS_URL';
  const look = async (rows: RunSql) => {
    const version = await postgresSchemaVersion(rows);
    const findings = [
      ok('records', postgresName(url)),
      judgeSchema('postgres', version),
      await findClock(rows),
    ];
    if (version !== knownSchemaVersion('postgres')) return findings;
    const workspaces = await rows<WorkspaceRow>('sql/list-workspaces', null);
    return [
      ...findings,
      judgeRights(await rows<Rights>('postgres/sql/show-rights')),
      judgeWorkspaces(workspaces),
    ];
  };
  return await examine(
    'records',
    remedy,
    async () => await readPostgresDatabase(url, COMMAND_MAX_WAIT_MS, look),
  );
}

async function findClock(rows: RunSql): Promise<Finding> {
  const before = systemClock.now();
  const [clock] = await rows<{ now: number }>('postgres/sql/read-clock');
  const reading = { theirs: clock!.now, before, after: systemClock.now(), stepMs: 0 };
  return judgeClock('records: clock', 'the database, which decides the minute', reading);
}

function judgeRights([rights]: readonly Rights[]): Finding {
  const subject = 'records: writable';
  const obstacle = obstacleIn(rights!);
  if (obstacle !== null) return failure(subject, obstacle.found, obstacle.remedy);
  return rights!.may_manage
    ? ok(subject, 'this user may admit requests and create keys')
    : warning(
        subject,
        'this user may admit requests but not create keys',
        'enough for a gateway; the records commands need a user who owns the tables',
      );
}

/** Compares the schema version of the records with the one that this code needs. */
function judgeSchema(dialect: Dialect, version: number): Finding {
  const subject = 'records: schema';
  const known = knownSchemaVersion(dialect);
  if (version === known)
    return ok(subject, `version ${version}; this version reads and writes ${known}, and upgrades older ones`);
  const found =
    version === 0 ? 'there are no records yet' : `version ${version}, this version reads and writes ${known}`;
  if (version > known) {
    return failure(
      subject,
      found,
      'the records were upgraded by a newer version of sightline: upgrade this one, otherwise gateways do not start',
    );
  }
  return warning(
    subject,
    found,
    version === 0
      ? '"npm run records -- workspace set" creates them; until then gateways do not start'
      : '"npm run records -- migrate" brings it up to date, and so does the next gateway; back the records up first',
  );
}

function judgeWorkspaces(rows: readonly WorkspaceRow[]): Finding {
  const workspaces = rows.map(toWorkspace);
  const keys = workspaces.reduce((sum, { activeKeys }) => sum + activeKeys, 0);
  const withApi = workspaces.filter(({ includesApi }) => includesApi).length;
  const found = `${rows.length} workspaces, ${withApi} of them with the API, ${keys} active keys`;
  const remedy =
    '"npm run records -- workspace set" and "key create" give clients access (docs/operations.md)';
  return keys > 0 && withApi > 0
    ? ok('records: workspaces', found)
    : warning('records: workspaces', found, remedy);
}
