import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { startPostgres } from '../postgres.ts';
import type { TestPostgres } from '../postgres.ts';

/** A PostgreSQL for all tests of a file, with an empty database for each of them. */
export interface EachDatabase {
  server: TestPostgres;
  url: string;
  /** A connection beside those of the records. */
  sql: postgres.Sql;
}

/** What it returns is filled when a test begins. */
export function eachDatabase(): EachDatabase {
  const database = {} as EachDatabase;
  beforeAll(async () => {
    database.server = await startPostgres();
  });
  afterAll(() => database.server.stop());
  beforeEach(async () => {
    database.url = await database.server.createDatabase();
    database.sql = postgres(database.url, { max: 2, onnotice: () => undefined });
  });
  afterEach(() => database.sql.end());
  return database;
}
