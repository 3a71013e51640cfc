import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openSession, startPostgres } from '../../support/postgres.ts';
import type { Session, TestPostgres } from '../../support/postgres.ts';

/** A PostgreSQL for all tests of a file, with an empty database for each of them. */
export interface EachDatabase {
  server: TestPostgres;
  url: string;
  session: Session;
}

/** The returned object is filled when a test begins. */
export function eachDatabase(): EachDatabase {
  const database = {} as EachDatabase;
  beforeAll(async () => {
    database.server = await startPostgres();
  });
  afterAll(() => database.server.stop());
  beforeEach(async () => {
    database.url = await database.server.createDatabase();
    database.session = openSession(database.url);
  });
  afterEach(() => database.session.end());
  return database;
}
