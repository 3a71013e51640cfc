import { readConfig } from '../../lib/config.ts';
import { printFindings } from '../../lib/doctor/parts.ts';
import { examinePostgres, examineSqlite } from './records.ts';

await printFindings(async () => {
  const { RECORDS_URL: location } = readConfig();
  return location.kind === 'sqlite'
    ? await examineSqlite(location.path)
    : await examinePostgres(location.url);
});
