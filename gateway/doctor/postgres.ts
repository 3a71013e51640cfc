import { judgeClock } from '../../lib/doctor/clock-difference.ts';
import { examine, failure, ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { readPostgresDatabase } from '../records/postgres-database.ts';
import type { RunSql } from '../records/postgres-database.ts';
import { knownSchemaVersion, postgresSchemaVersion } from '../records/schema.ts';
import { systemClock } from '../../lib/clock.ts';
import { judgeSchema } from './schema.ts';
import { judgeWorkspaces } from './workspaces.ts';
import type { ListedWorkspace } from './workspaces.ts';

const PATIENCE_MS = 5000;

export async function examinePostgres(url: string): Promise<Finding[]> {
  const { host, pathname } = new URL(url);
  const remedy = 'start the server, or correct address, user and password in RECORDS_URL';
  const look = async (rows: RunSql) => {
    const version = await postgresSchemaVersion(rows);
    const findings = [
      ok('records', `PostgreSQL at ${host}${pathname}`),
      judgeSchema('postgres', version),
      await findClock(rows),
    ];
    if (version !== knownSchemaVersion('postgres')) return findings;
    const workspaces = await rows<ListedWorkspace>('list-workspaces', null);
    return [...findings, judgeRights(await rows<Rights>('show-rights')), judgeWorkspaces(workspaces)];
  };
  return await examine('records', remedy, async () => await readPostgresDatabase(url, PATIENCE_MS, look));
}

async function findClock(rows: RunSql): Promise<Finding> {
  const before = systemClock.now();
  const [told] = await rows<{ now: number }>('tell-time');
  const reading = { theirs: told!.now, before, after: systemClock.now(), stepMs: 0 };
  return judgeClock('records: clock', 'the database, which decides the minute', reading);
}

/** The row of show-rights.sql. */
interface Rights {
  is_standby: boolean;
  is_read_only: boolean;
  may_admit: boolean;
  may_manage: boolean;
}

export function judgeRights([rights]: readonly Rights[]): Finding {
  const subject = 'records: writable';
  const {
    is_standby: isStandby,
    is_read_only: isReadOnly,
    may_admit: mayAdmit,
    may_manage: mayManage,
  } = rights!;
  if (isStandby) {
    return failure(
      subject,
      'this server is a standby',
      'name the primary in RECORDS_URL: every request is counted',
    );
  }
  if (isReadOnly) {
    const remedy = 'alter database … set default_transaction_read_only = off';
    return failure(subject, 'transactions are read-only here', remedy);
  }
  if (!mayAdmit) {
    const remedy =
      'grant select, update on all tables in schema sightline, and insert, delete on sightline.batch_uses, to the user of RECORDS_URL';
    return failure(subject, 'this user may not count requests', remedy);
  }
  return mayManage
    ? ok(subject, 'this user may admit requests and make keys')
    : warning(
        subject,
        'this user may admit requests, and not make keys',
        'enough for a gateway; the records commands need a user who owns the tables',
      );
}
