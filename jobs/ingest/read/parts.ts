import { columnsOf, execute } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { parquetFiles } from '../../literals.ts';
import { countRows, sqlNextTo } from '../../relations.ts';
import { Failure, reasonOf } from '../../../lib/failure.ts';
import type { DropFile } from '../drop.ts';
import type { Fields } from './fields.ts';
import { lineBlocks } from './lines.ts';
import { parquetRecord } from './parquet-record.ts';

/** A part of a drop file, for a connection's temporary table `lines` (line, record as JSON text). */
export interface Part {
  load(connection: Connection): Promise<void>;
  /** The number of its first line, or of its first row in Parquet. */
  firstLine: number;
  /** Lines that are not UTF-8, and therefore not in `lines`. */
  undecodable: { line: number; bytes: Buffer }[];
  /** True if a record may be JSON only to a lenient reader: trailing commas, NaN, infinities. */
  mayBeLoose: boolean;
  /** Its bytes in the file, for progress; of a zipped file, its unzipped bytes. */
  bytes: number;
}

const PARQUET_ROWS = 50_000;

/**
 * The parts of a drop file. They can be loaded independently of one another.
 * @param fields of its kind of records
 * @throws Failure that names the file when it cannot be read.
 */
export async function* partsOf(file: DropFile, fields: Fields, connection: Connection): AsyncGenerator<Part> {
  if (file.format === 'parquet') yield* parquetParts(file, fields, connection);
  else yield* ndjsonParts(file);
}

async function* ndjsonParts(file: DropFile): AsyncGenerator<Part> {
  const loadLines = await sqlNextTo(import.meta, 'load-lines');
  for await (const { text, firstLine, undecodable } of lineBlocks(file.path, file.format === 'ndjson.gz')) {
    const parameters = { text, first_line: BigInt(firstLine) };
    const load = (connection: Connection) => execute(connection, loadLines, parameters);
    yield { load, firstLine, undecodable, mayBeLoose: MAYBE_LOOSE.test(text), bytes: text.length };
  }
}

/** Trailing commas, NaN, infinities; also matches harmless text in strings. */
const MAYBE_LOOSE = /,\s*[\]}]|[:,[]\s*-?(?:nan|inf)/i;

async function* parquetParts(file: DropFile, fields: Fields, connection: Connection): AsyncGenerator<Part> {
  const source = parquetFiles([file.path], 'file_row_number = true');
  const { columns, rows } = await describe(connection, file, source);
  const record = parquetRecord(columns, fields);
  const bytes = file.bytes / Math.ceil(rows / PARQUET_ROWS);
  for (let from = 0; from < rows; from += PARQUET_ROWS) {
    const load = async (on: Connection) => {
      await execute(
        on,
        `create or replace temp table lines as
         select file_row_number + 1 as line, ${record} as record
         from ${source}
         where file_row_number >= ${from} and file_row_number < ${from + PARQUET_ROWS}`,
      ).catch((error: unknown) => unreadable(file, error));
    };
    yield { load, firstLine: from + 1, undecodable: [], mayBeLoose: false, bytes };
  }
}

async function describe(connection: Connection, file: DropFile, source: string) {
  try {
    const columns = await columnsOf(connection, `select * exclude (file_row_number) from ${source}`);
    return { columns, rows: await countRows(connection, source) };
  } catch (error) {
    return unreadable(file, error);
  }
}

function unreadable(file: DropFile, error: unknown): never {
  throw new Failure(`${file.path} cannot be read: ${reasonOf(error).split('\n')[0]}`, { cause: error });
}
