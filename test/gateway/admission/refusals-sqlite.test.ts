import { join } from 'node:path';
import { systemClock } from '../../../lib/clock.ts';
import { openSqliteRecords } from '../../../gateway/records/sqlite/records.ts';
import { describeRefusals } from './refusals.ts';

describeRefusals('SQLite', async (folder) =>
  openSqliteRecords(join(folder, 'records.db'), { clock: systemClock }),
);
