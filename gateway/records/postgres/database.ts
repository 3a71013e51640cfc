import { DatabaseError, Pool, types } from 'pg';
import type { CustomTypesConfig, PoolClient } from 'pg';
import { Failure, reasonOf, Unreachable } from '../../../lib/failure.ts';
import { demandRights } from './rights.ts';
import type { Rights } from './rights.ts';
import {
  admissionSettings,
  postgresAddress,
  postgresName,
  sessionSettings,
  withSettings,
} from './settings.ts';
import type { Settings } from './settings.ts';
import type { RecordsOptions } from '../records.ts';
import { demandSchema, migratePostgres, postgresSchemaVersion } from '../schema.ts';
import { readSql } from '../sql.ts';
import type { RunSql, SqlFile, SqlParameter } from '../sql.ts';

/** One PostgreSQL database with our schema. The only file that imports the driver. */
export interface PostgresDatabase {
  /** Host and database, without user and password. */
  readonly name: string;
  readonly rows: RunSql;
  /** Runs statements in one transaction. */
  transaction<T>(work: (rows: RunSql) => Promise<T>): Promise<T>;
  /** Admission, on separate connections; throws the driver's errors. */
  readonly admit: RunAdmission;
  close(): Promise<void>;
}

/**
 * The statement of the hot path. Rows are arrays in the order of the select list, in PostgreSQL's text format. It
 * always settles: a connection that hangs is closed, and the next call opens another one.
 */
export type RunAdmission = (...parameters: string[]) => Promise<TextRow[]>;
type TextRow = (string | null)[];

export type PostgresOptions = Omit<RecordsOptions, 'clock'>;

/** @throws Unreachable if the server cannot be reached; Failure if the purpose does not allow its schema. */
export async function openPostgresDatabase(url: string, options: PostgresOptions): Promise<PostgresDatabase> {
  const { purpose = 'create', maxWaitMs, batchesAtOnce = 1 } = options;
  const name = postgresName(url);
  const management = connectTo(url, maxWaitMs, 2, {});
  const open = async (client: PoolClient) => {
    const rows = runOn(client);
    // Gateways that start together take turns.
    if (purpose !== 'manage') await rows('postgres/sql/lock-migrations');
    const version = await postgresSchemaVersion(rows);
    demandSchema(purpose, name, 'postgres', version);
    if (purpose !== 'manage') {
      await migratePostgres(version, rows, async (text) => void (await client.query(text)));
    }
    if (purpose === 'serve') demandRights(name, await rows<Rights>('postgres/sql/show-rights'));
  };
  try {
    await failingWith(`${name} cannot be opened`, async () => await inTransaction(management, open));
  } catch (error) {
    await management.end();
    throw error;
  }
  const admission = connectTo(url, maxWaitMs, batchesAtOnce, admissionSettings(maxWaitMs));
  const complaint = `${name} cannot be used`;
  return {
    name: postgresAddress(url),
    rows: async (...call) => await failingWith(complaint, async () => await runOn(management)(...call)),
    transaction: async (work) =>
      await failingWith(
        complaint,
        async () => await inTransaction(management, async (client) => await work(runOn(client))),
      ),
    admit: admitOn(admission),
    close: async () => {
      await Promise.all([management.end(), admission.end()]);
    },
  };
}

/**
 * Reads a database consistently, in a read-only transaction: nothing is created, changed or migrated.
 * @throws Unreachable if the server cannot be reached or refuses the connection.
 */
export async function readPostgresDatabase<T>(
  url: string,
  maxWaitMs: number,
  work: (rows: RunSql) => Promise<T>,
): Promise<T> {
  const pool = connectTo(url, maxWaitMs, 1, {});
  const begin = 'begin isolation level repeatable read read only';
  try {
    return await failingWith(
      `${postgresName(url)} cannot be read`,
      async () => await inTransaction(pool, async (client) => await work(runOn(client)), begin),
    );
  } finally {
    await pool.end();
  }
}

/** ISO 8601 instead of a `Date`, as SQLite stores times. */
const timesAsText: CustomTypesConfig = {
  getTypeParser(type, format) {
    const parse = types.getTypeParser(type, format);
    return type === types.builtins.TIMESTAMPTZ
      ? (text: string) => (parse(text) as Date).toISOString()
      : parse;
  },
};

/** Without it the driver parses arrays element by element: 50 µs for a batch of 32 keys. */
const asText: CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** @throws Failure with this complaint, instead of the server's or driver's error. */
async function failingWith<T>(complaint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const isAway = !(error instanceof DatabaseError) || AWAY.test(error.code ?? '');
    throw new (isAway ? Unreachable : Failure)(`${complaint}: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * SQLSTATEs of a server that cannot be used now: connection, login and database refused, no resources, shutdown or
 * time limit, lock not available.
 */
const AWAY = /^(?:08|28|3D|53|57|55P03)/;

function connectTo(url: string, maxWaitMs: number, connections: number, settings: Settings): Pool {
  const pool = new Pool({
    connectionString: withSettings(url, { ...sessionSettings(maxWaitMs), ...settings }),
    application_name: 'sightline',
    types: timesAsText,
    max: connections,
    connectionTimeoutMillis: maxWaitMs,
    query_timeout: maxWaitMs,
    idleTimeoutMillis: 0, // never: connecting costs more than a hundred statements
    allowExitOnIdle: true,
    keepAlive: true,
  });
  // Without a listener, a lost connection would end the process. The statement fails anyway; the pool opens another
  // one.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** If the work fails, the connection is closed, so that the server rolls back. */
async function inTransaction<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin = 'begin',
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

function admitOn(pool: Pool): RunAdmission {
  const text = readSql('postgres/sql/admit');
  return async (...values) => {
    const prepared = { name: 'admit', text, values, rowMode: 'array' as const, types: asText };
    return (await pool.query<TextRow>(prepared)).rows;
  };
}

function runOn(connection: Pool | PoolClient): RunSql {
  return async <Row>(file: SqlFile, ...parameters: SqlParameter[]) =>
    (await connection.query(readSql(file), parameters)).rows as Row[];
}
