import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { findRoom, findWritable } from '../../lib/doctor/disk.ts';
import { examine, ok } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { COMMAND_MAX_WAIT_MS } from '../records/records.ts';
import { readSqliteDatabase } from '../records/sqlite/database.ts';
import { knownSchemaVersion } from '../records/schema.ts';
import type { WorkspaceRow } from '../records/records.ts';
import { judgeSchema, judgeWorkspaces } from './judge.ts';

export async function examineSqlite(path: string): Promise<Finding[]> {
  const room = await findRoom('records: disk', dirname(path), 'or move the records to a larger disk');
  if (!existsSync(path)) return [judgeSchema('sqlite', 0), room];
  // On a full disk, records that cannot be read are not necessarily damaged.
  const remedy =
    room.state === 'failure' && room.remedy !== null
      ? room.remedy
      : 'put a backup back in its place (docs/procedures.md, Restore), or name another file in RECORDS_URL';
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
