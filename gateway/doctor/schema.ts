import { failure, ok, warning } from '../../lib/doctor/finding.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { knownSchemaVersion } from '../records/schema.ts';
import type { Dialect } from '../records/sql.ts';

/** Compares the schema version of the records with the one that this code needs. */
export function judgeSchema(dialect: Dialect, version: number): Finding {
  const subject = 'records: schema';
  const known = knownSchemaVersion(dialect);
  if (version === known) return ok(subject, `version ${version}, the newest that this code knows`);
  if (version > known) {
    return failure(
      subject,
      `version ${version}, this code knows ${known}`,
      'the records were upgraded by a newer version of sightline: upgrade this one, otherwise gateways do not start',
    );
  }
  const found = version === 0 ? 'there are no records yet' : `version ${version}, this code has ${known}`;
  return warning(
    subject,
    found,
    version === 0
      ? '"npm run records -- workspace set" creates them; until then gateways do not start'
      : '"npm run records -- migrate" brings it up to date, and so does the next gateway; back the records up first',
  );
}
