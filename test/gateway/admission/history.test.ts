import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { systemClock } from '../../../lib/clock.ts';
import { openPostgresRecords } from '../../../gateway/records/postgres/records.ts';
import { openSqliteRecords } from '../../../gateway/records/sqlite/records.ts';
import { describeHistories } from './history.ts';
import { startPostgres } from '../../support/postgres.ts';
import type { TestPostgres } from '../../support/postgres.ts';

let folder: string;
let server: TestPostgres;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sightline-history-'));
  url = await server.createDatabase();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describeHistories(
  'SQLite',
  async () => openSqliteRecords(join(folder, 'records.db'), { clock: systemClock }),
  1,
);
describeHistories(
  'PostgreSQL',
  async () => await openPostgresRecords(url, { batchesAtOnce: 2, maxWaitMs: 10_000 }),
  2,
);
