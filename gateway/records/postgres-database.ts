import { Pool } from 'pg';
import type { CustomTypesConfig, PoolClient } from 'pg';
import { Failure, reasonOf } from '../../lib/failure.ts';
import { migratePostgres } from './postgres-migrations.ts';
import { readSql } from './sql.ts';

/** One PostgreSQL database with our schema; the only file that knows the driver. */
export interface PostgresDatabase {
  /** Host and database, without user and password. */
  readonly name: string;
  /** Runs `gateway/records/sql/postgres/NAME.sql`. */
  readonly rows: RunSql;
  /** The same statements, all or nothing. */
  transaction<T>(work: (rows: RunSql) => Promise<T>): Promise<T>;
  /**
   * The statement of the hot path, on connections of its own. Rows are in the order of the select list, each column as
   * PostgreSQL spells it. Rejects in time: a connection that hangs is closed, and the next call opens another.
   */
  admit(name: 'admit' | 'admit-one', ...parameters: string[]): Promise<SpelledRow[]>;
  close(): Promise<void>;
}

export type Parameter = string | number | null;
export type RunSql = <Row>(name: string, ...parameters: Parameter[]) => Promise<Row[]>;
type SpelledRow = (string | null)[];

export interface PostgresOptions {
  /** Statements of the hot path that may run at one time. */
  admissionsAtOnce: number;
  /** How long a statement may take, waiting for locks included, and how long connecting may. */
  patienceMs: number;
}

/** @throws Failure where the server cannot be reached or the schema was made by a newer version. */
export async function openPostgresDatabase(url: string, options: PostgresOptions): Promise<PostgresDatabase> {
  const { patienceMs, admissionsAtOnce } = options;
  const name = nameOf(url);
  const management = connectTo(url, patienceMs, 2, {});
  try {
    await inTransaction(management, 'begin', async (client) => {
      await migratePostgres(name, runOn(client), async (text) => void (await client.query(text)));
    });
  } catch (error) {
    await management.end();
    throw failureOf(error, name, 'opened');
  }
  const admission = connectTo(url, patienceMs, admissionsAtOnce, admissionSettings);
  const statements = { admit: readSql('postgres', 'admit'), 'admit-one': readSql('postgres', 'admit-one') };
  return {
    name,
    rows: runOn(management),
    transaction: async (work) =>
      await inTransaction(management, 'begin', async (client) => await work(runOn(client))),
    async admit(statement, ...values) {
      const text = statements[statement];
      const prepared = { name: statement, text, values, rowMode: 'array' as const, types: asSpelled };
      return (await admission.query<SpelledRow>(prepared)).rows;
    },
    close: async () => {
      await Promise.all([management.end(), admission.end()]);
    },
  };
}

/**
 * One consistent reading of a database as it is, in a read-only transaction: nothing is made, changed or migrated.
 * @throws Failure where the server cannot be reached or refuses.
 */
export async function readPostgresDatabase<T>(
  url: string,
  patienceMs: number,
  work: (rows: RunSql) => Promise<T>,
): Promise<T> {
  const pool = connectTo(url, patienceMs, 1, {});
  const begin = 'begin isolation level repeatable read read only';
  try {
    return await inTransaction(pool, begin, async (client) => await work(runOn(client)));
  } catch (error) {
    throw failureOf(error, nameOf(url), 'read');
  } finally {
    await pool.end();
  }
}

/**
 * A commit is not synced to the disk before it is answered: a server that crashes may forget the last moments' counts
 * and stamps, never a revocation, and a batch costs a third less. The planner is kept from everything but indexes in
 * nested loops: the statement asks for a handful of rows, and the plan must not turn with the statistics.
 */
export const admissionSettings = {
  synchronous_commit: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/** The driver would make arrays of lists, number by number: 50 µs for a batch of 32 keys. */
const asSpelled: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

function nameOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

function failureOf(error: unknown, name: string, done: 'opened' | 'read'): Failure {
  if (error instanceof Failure) return error;
  const complaint = `records in PostgreSQL at ${name} cannot be ${done}: ${reasonOf(error)}`;
  return new Failure(complaint, { cause: error });
}

type Settings = Record<string, string | number>;

function connectTo(url: string, patienceMs: number, connections: number, settings: Settings): Pool {
  const pool = new Pool({
    connectionString: withSettings(url, {
      statement_timeout: patienceMs,
      lock_timeout: patienceMs,
      ...settings,
    }),
    application_name: 'sightline',
    max: connections,
    connectionTimeoutMillis: patienceMs,
    query_timeout: patienceMs,
    idleTimeoutMillis: 0, // never: connecting costs more than a hundred statements
    allowExitOnIdle: true,
    keepAlive: true,
  });
  // Whoever uses a connection that is lost learns of it from the statement that fails; the pool opens another.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Settings of the session, given while connecting, after those that the address may have. */
function withSettings(url: string, settings: Settings): string {
  const address = new URL(url);
  const given = address.searchParams.get('options') ?? '';
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  address.searchParams.set('options', [given, ...ours].join(' ').trim());
  return address.href;
}

/** Where the work fails its connection is closed, whatever state it is in, and the server undoes what was done. */
async function inTransaction<T>(
  pool: Pool,
  begin: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function runOn(connection: Pool | PoolClient): RunSql {
  return async <Row>(name: string, ...parameters: Parameter[]) =>
    (await connection.query(readSql('postgres', name), parameters)).rows as Row[];
}
