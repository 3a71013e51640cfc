import { judgeClock } from '../../lib/doctor/clock-difference.ts';
import { examine, failure, ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { COMMAND_MAX_WAIT_MS } from '../records/records.ts';
import { readPostgresDatabase } from '../records/postgres/database.ts';
import { postgresName } from '../records/postgres/settings.ts';
import type { RunSql } from '../records/sql.ts';
import { obstacleIn } from '../records/postgres/rights.ts';
import type { Rights } from '../records/postgres/rights.ts';
import { knownSchemaVersion, postgresSchemaVersion } from '../records/schema.ts';
import { systemClock } from '../../lib/clock.ts';
import type { WorkspaceRow } from '../records/records.ts';
import { judgeSchema, judgeWorkspaces } from './judge.ts';

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

export function judgeRights([rights]: readonly Rights[]): Finding {
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
