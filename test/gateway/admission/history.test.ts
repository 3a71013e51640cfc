import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openRecords, openRecordsInPostgres, startPostgres } from '../../adapters/read-over-http.ts';
import type { TestPostgres } from '../../adapters/read-over-http.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeHistories } from './history.ts';

let folder: string;
let server: TestPostgres;
let url: string;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = await temporaryFolder();
  url = await server.createDatabase();
});

describeHistories('SQLite', async () => openRecords(folder), 1);
describeHistories('PostgreSQL', async () => await openRecordsInPostgres(url, 10_000), 2);
