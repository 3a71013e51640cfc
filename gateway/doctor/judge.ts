import { failure, ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { knownSchemaVersion } from '../records/schema.ts';
import { toWorkspace } from '../records/records.ts';
import type { WorkspaceRow } from '../records/records.ts';
import type { Dialect } from '../records/sql.ts';

/** Compares the schema version of the records with the one that this code needs. */
export function judgeSchema(dialect: Dialect, version: number): Finding {
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

export function judgeWorkspaces(rows: readonly WorkspaceRow[]): Finding {
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
