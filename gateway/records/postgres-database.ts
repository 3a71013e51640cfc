import postgres from 'postgres';
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
   * The statement of the hot path, on connections of its own; rows are arrays, in the order of the select list.
   * Rejects in time: a server that hangs loses its connection, and the next call opens another.
   */
  admit(name: 'admit' | 'admit-one', ...parameters: string[]): Promise<unknown[][]>;
  close(): Promise<void>;
}

export type Parameter = string | number | null;
export type RunSql = <Row>(name: string, ...parameters: Parameter[]) => Promise<Row[]>;

export interface PostgresOptions {
  /** Statements of the hot path that may run at one time. */
  admissionsAtOnce: number;
  /** How long a statement may take, waiting for locks included, and how long connecting may. */
  patienceMs: number;
}

/** @throws Failure where the server cannot be reached or the schema was made by a newer version. */
export async function openPostgresDatabase(url: string, options: PostgresOptions): Promise<PostgresDatabase> {
  const { host, pathname } = new URL(url);
  const name = `${host}${pathname}`;
  const management = connectTo(url, options, 2, {});
  const rows = runOn(management);
  const transaction: PostgresDatabase['transaction'] = async (work) =>
    (await management.begin(async (sql) => await work(runOn(sql)))) as Awaited<ReturnType<typeof work>>;
  try {
    await management.begin(async (sql) => {
      await migratePostgres(name, runOn(sql), async (text) => void (await sql.unsafe(text)));
    });
  } catch (error) {
    await management.end({ timeout: 0 });
    if (error instanceof Failure) throw error;
    throw new Failure(`records in PostgreSQL at ${name} cannot be opened: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  const admission = impatientAdmission(url, options);
  return {
    name,
    rows,
    transaction,
    admit: admission.run,
    close: async () => {
      await Promise.all([management.end({ timeout: 1 }), admission.close()]);
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
  const { host, pathname } = new URL(url);
  const sql = connectTo(url, { patienceMs, admissionsAtOnce: 1 }, 1, {});
  try {
    const result = await sql.begin(
      'isolation level repeatable read read only',
      async (open) => await work(runOn(open)),
    );
    return result as T;
  } catch (error) {
    if (error instanceof Failure) throw error;
    const name = `records in PostgreSQL at ${host}${pathname}`;
    throw new Failure(`${name} cannot be read: ${reasonOf(error)}`, { cause: error });
  } finally {
    await sql.end({ timeout: 1 });
  }
}

type Settings = Record<string, string | number | boolean>;

function connectTo(url: string, options: PostgresOptions, connections: number, settings: Settings) {
  const { patienceMs } = options;
  return postgres(url, {
    max: connections,
    connect_timeout: patienceMs / 1000,
    // Tried again at once when the next request comes: it waits no longer than its own patience.
    backoff: () => 0,
    fetch_types: false,
    onnotice: () => undefined,
    connection: {
      application_name: 'sightline',
      statement_timeout: patienceMs,
      lock_timeout: patienceMs,
      ...settings,
    },
  });
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

function impatientAdmission(url: string, options: PostgresOptions) {
  const statements = { admit: readSql('postgres', 'admit'), 'admit-one': readSql('postgres', 'admit-one') };
  const connect = () => connectTo(url, options, options.admissionsAtOnce, admissionSettings);
  let sql = connect();

  const abandon = async (hung: typeof sql) => {
    if (hung === sql) sql = connect();
    await hung.end({ timeout: 0 });
  };

  const run: PostgresDatabase['admit'] = async (name, ...parameters) => {
    const asked = sql;
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(new Error(`PostgreSQL did not answer within ${options.patienceMs} ms`));
        void abandon(asked);
      }, options.patienceMs);
    });
    try {
      return await Promise.race([
        asked.unsafe(statements[name], parameters, { prepare: true }).values(),
        tooLate,
      ]);
    } finally {
      clearTimeout(timer);
    }
  };

  return { run, close: async () => await sql.end({ timeout: 1 }) };
}

type Connection = Pick<postgres.Sql, 'unsafe'>;

function runOn(sql: Connection): RunSql {
  return async <Row>(name: string, ...parameters: Parameter[]) =>
    (await sql.unsafe(readSql('postgres', name), parameters, {
      prepare: parameters.length > 0,
    })) as unknown as Row[];
}
