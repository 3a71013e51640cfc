import { DuckDBDateValue, DuckDBInstance, DuckDBListValue, DuckDBTimestampTZValue } from '@duckdb/node-api';
import { LIST, StatementType, VARCHAR, listValue } from '@duckdb/node-api';
import type {
  DuckDBAppender,
  DuckDBConnection,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api';
import { textDecoder } from '@duckdb/node-api/lib/vectors/dataAccessors.js';
import { totalmem } from 'node:os';
import { parseInstant } from '../lib/methodology/instant.ts';
import type { Cell, CellType } from '../lib/tables/names.ts';
import { literal, literalList } from './literals.ts';

/** As manifests name it: `v1.5.6`. */
export { version as duckdbVersion } from '@duckdb/node-api';

// The driver (also 1.5.6) takes U+FEFF at the start of any text for a byte order mark and drops it: a name would lose its
// first character, or be empty. Its decoder is not a public API, but publicly only blobs come undecoded: every text of
// every query would have to be a blob.
const wholeText = new TextDecoder('utf-8', { ignoreBOM: true });
textDecoder.decode = wholeText.decode.bind(wholeText);

/** A DuckDB for the length of one command. No other file imports the driver. */
export interface Database extends Disposable {
  connect(): Promise<DuckDBConnection>;
  /** As disposing it. Closes every connection too: one that stays open keeps all tables in memory until V8 collects its wrapper. */
  close(): void;
}

export type Connection = DuckDBConnection;
export type ColumnType = DuckDBType;
export type Parameters = Record<string, DuckDBValue>;

export interface DatabaseOptions {
  /** A folder for what does not fit into memory. */
  scratch: string;
  threads?: number | undefined;
  /**
   * What it may use, if the usual share is too much. What does not fit is spilled to the scratch folder, except the lists of
   * a group by.
   */
  memoryBytes?: number;
  /** For SQL from outside the project: the only files that it reads, and the only folders that it writes to. */
  access?: { files: readonly string[]; folders: readonly string[] };
  /** After it is aborted every statement throws, also those that run. */
  signal?: AbortSignal | undefined;
}

const MIB = 1 << 20;

/**
 * Optimizers of DuckDB 1.5 that give wrong results: the first may lose rows (duckdb issues 22075 and 25702), the second
 * takes two partitions for one if a key is repeated (24780). Neither gains anything measurable here.
 */
export const disabledOptimizers = ['join_filter_pushdown', 'window_self_join'];

/**
 * 40 % of what the machine or the container has, so that Node and the page cache have space too, but not more
 * than 2 GiB: the job is meant for small machines, and spills instead of growing.
 */
function usualMemory(): number {
  const available = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  return Math.min(0.4 * available, 2048 * MIB);
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const memoryBytes = Math.min(usualMemory(), options.memoryBytes ?? Infinity);
  const instance = await DuckDBInstance.create(':memory:', {
    temp_directory: options.scratch,
    ...(options.threads === undefined ? {} : { threads: String(options.threads) }),
    memory_limit: `${Math.floor(memoryBytes / MIB)}MiB`,
    // Nothing is downloaded, and no code is loaded that is not in the driver, even if a query names it.
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  // Instants are UTC; a machine's time zone must not reach a number. (Refused among the options above.)
  await connection.run("set global TimeZone = 'UTC'");
  await connection.run(`set global disabled_optimizers = ${literal(disabledOptimizers.join(','))}`);
  if (options.access !== undefined) await restrict(connection, options.access);
  const connections: Connection[] = [connection];
  const stopWatching = interruptWhenAborted(options.signal, connections);
  const close = () => {
    stopWatching();
    for (const opened of connections) opened.closeSync();
    instance.closeSync();
  };
  return {
    async connect() {
      const opened = await instance.connect();
      connections.push(opened);
      return opened;
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** Forbids all other files, the network and extensions. None of it can be allowed again. */
async function restrict(connection: Connection, { files, folders }: Required<DatabaseOptions>['access']) {
  const directories = folders.map((folder) => `${folder}/`);
  await connection.run(`set global allowed_paths = ${literalList(files)}`);
  await connection.run(`set global allowed_directories = ${literalList(directories)}`);
  await connection.run('set global enable_external_access = false');
  await connection.run('set global lock_configuration = true');
}

const BETWEEN_INTERRUPTS_MS = 20;

/** Repeats the interrupt, because one between two queries has no effect. Returns a function that ends the repetition. */
function interruptWhenAborted(
  signal: AbortSignal | undefined,
  connections: readonly Connection[],
): () => void {
  if (signal === undefined) return () => undefined;
  const timer = setInterval(() => {
    if (signal.aborted) for (const connection of connections) connection.interrupt();
  }, BETWEEN_INTERRUPTS_MS);
  return () => clearInterval(timer);
}

/**
 * Runs each statement of a script in turn, with those of the parameters that it names. Without parameters the script runs
 * as one text. DuckDB plans a prepared statement without parameters when it is prepared, with the statistics of that
 * moment, and leaves out a filter that all rows pass: rows that another connection commits before it runs would come
 * unfiltered (duckdb issue 23704). A text, and a statement with parameters, are planned when they run.
 */
export async function execute(connection: Connection, sql: string, parameters?: Parameters): Promise<void> {
  if (parameters === undefined) {
    await connection.run(sql);
    return;
  }
  const statements = await connection.extractStatements(sql);
  for (let index = 0; index < statements.count; index++) {
    using statement = disposable(await statements.prepare(index));
    bindNamed(statement, parameters);
    await statement.run();
  }
}

/**
 * Runs statements of a script from outside the project, which may only create: tables, views, macros. No other
 * connection may write meanwhile (see {@link execute}).
 * @param range the indexes of the first statement that runs, and of the first one after it that does not
 * @throws an Error for any other statement, before it runs
 */
export async function executeCreating(
  connection: Connection,
  sql: string,
  range: { from?: number; to?: number },
): Promise<void> {
  const { from = 0, to = Infinity } = range;
  const statements = await connection.extractStatements(sql);
  for (let index = from; index < Math.min(to, statements.count); index++) {
    using statement = disposable(await statements.prepare(index));
    if (statement.statementType !== StatementType.CREATE)
      throw new Error(
        `statement ${index + 1} is not a create: only create table, view and macro are allowed`,
      );
    await statement.run();
  }
}

/** All rows of a query, as objects. For small results. */
export async function rowsOf<Row>(
  connection: Connection,
  sql: string,
  parameters?: Parameters,
): Promise<Row[]> {
  if (parameters === undefined) return (await connection.runAndReadAll(sql)).getRowObjectsJS() as Row[];
  using statement = disposable(await connection.prepare(sql));
  bindNamed(statement, parameters);
  return (await statement.runAndReadAll()).getRowObjectsJS() as Row[];
}

/**
 * The rows of a query a chunk at a time, so that memory does not grow with the result. Until the last row, run nothing
 * else on the connection, and let no other one write (see {@link execute}). Nested values are not converted: the general
 * conversion of a row takes ten times as long.
 */
export async function* streamRows<Row>(connection: Connection, sql: string): AsyncGenerator<Row[]> {
  const result = await connection.stream(sql);
  for await (const rows of result.yieldRowObjects()) yield rows as Row[];
}

/** Appends rows to a table; integers are `bigint`, timestamps `timestamptz`. A hundred times faster than `insert`. */
export async function appendRows(
  connection: Connection,
  { database, table }: { database: string; table: string },
  types: readonly CellType[],
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const appender = await connection.createAppender(table, 'main', database);
  const append = types.map((type) => appendCell[type]);
  for (const row of rows) {
    for (const [at, cell] of row.entries())
      if (cell === null) appender.appendNull();
      else append[at]!(appender, cell as never);
    appender.endRow();
  }
  appender.closeSync();
}

const appendCell: Record<CellType, (appender: DuckDBAppender, cell: never) => void> = {
  text: (appender, cell: string) => appender.appendVarchar(cell),
  integer: (appender, cell: number) => appender.appendBigInt(BigInt(cell)),
  number: (appender, cell: number) => appender.appendDouble(cell),
  boolean: (appender, cell: boolean) => appender.appendBoolean(cell),
  date: (appender, cell: string) => appender.appendDate(new DuckDBDateValue(Date.parse(cell) / 86_400_000)),
  timestamp: (appender, cell: string) =>
    appender.appendTimestampTZ(new DuckDBTimestampTZValue(parseInstant(cell)!)),
};

/** The columns of a query, which does not run. */
export async function columnsOf(connection: Connection, sql: string): Promise<Map<string, ColumnType>> {
  using statement = disposable(await connection.prepare(sql));
  const indexes = Array.from({ length: statement.columnCount }, (_, index) => index);
  return new Map(indexes.map((index) => [statement.columnName(index), statement.columnType(index)]));
}

/** A statement that stays in memory until it is destroyed: V8 does not know how large it is. */
function disposable(statement: DuckDBPreparedStatement): DuckDBPreparedStatement & Disposable {
  return Object.assign(statement, { [Symbol.dispose]: () => statement.destroySync() });
}

/** A list of texts, to be given as a parameter. */
export function textList(texts: readonly string[]): DuckDBValue {
  return listValue([...texts]);
}

function bindNamed(statement: DuckDBPreparedStatement, parameters: Parameters): void {
  for (let index = 1; index <= statement.parameterCount; index++) {
    const name = statement.parameterName(index);
    if (!(name in parameters)) throw new Error(`the query asks for $${name}, which was not given`);
    const value = parameters[name] as DuckDBValue;
    // The driver cannot see the type of an empty list; ours are lists of texts.
    statement.bindValue(index, value, value instanceof DuckDBListValue ? LIST(VARCHAR) : undefined);
  }
}
