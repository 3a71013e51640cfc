import { readConfig } from '../../lib/config.ts';
import type { RecordsLocation } from '../../lib/config.ts';
import type { Finding } from '../../lib/doctor/finding.ts';
import { printFindings } from '../../lib/doctor/parts.ts';
import { examinePostgres, examineSqlite } from './records.ts';

await printFindings(async () => {
  const { RECORDS_URL: location } = readConfig();
  const examining = {
    sqlite: async ({ path }) => await examineSqlite(path),
    postgres: async ({ url }) => await examinePostgres(url),
  } satisfies {
    [Kind in RecordsLocation['kind']]: (
      location: Extract<RecordsLocation, { kind: Kind }>,
    ) => Promise<Finding[]>;
  };
  return await examining[location.kind](location as never);
});
