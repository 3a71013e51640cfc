/**
 * @module-tag long
 * @module-tag black-box
 */
import { afterAll, beforeAll } from 'vitest';
import { openRecordsInPostgres, startPostgres } from '../../adapters/read-over-http.ts';
import type { TestPostgres } from '../../adapters/read-over-http.ts';
import { describeRefusals } from './refusals.ts';

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describeRefusals(
  'PostgreSQL',
  async () => await openRecordsInPostgres(await server.createDatabase()),
  '/api/v1/brands',
);
