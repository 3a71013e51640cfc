/** @module-tag long */
import { afterAll, beforeAll } from 'vitest';
import { openPostgresRecords } from '../../../gateway/records/postgres/records.ts';
import { startPostgres } from '../../support/postgres.ts';
import type { TestPostgres } from '../../support/postgres.ts';
import { describeRefusals } from './refusals.ts';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describeRefusals(
  'PostgreSQL',
  async () => await openPostgresRecords(await server.createDatabase(), { batchesAtOnce: 2, maxWaitMs: 5000 }),
);
