import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openSession, startPostgres } from '../../support/postgres.ts';
import type { Session, TestPostgres } from '../../support/postgres.ts';

/** A PostgreSQL for all tests of a file, with a database that is empty when a test begins. */
export interface EachDatabase {
  url: string;
  session: Session;
}

/** The returned object is filled when a test begins. */
export function eachDatabase(): EachDatabase {
  const database = {} as EachDatabase;
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
    database.url = await server.createDatabase();
    database.session = openSession(database.url);
  });
  afterAll(async () => {
    await database.session?.end();
    await server?.stop();
  });
  const empty = 'drop schema if exists sightline cascade; drop schema public cascade; create schema public';
  beforeEach(async () => await database.session.ask(empty)); // a tenth of the time of a new database
  return database;
}
