import { exactly, execute, executeWatched, numberList, readSql, rowsOf } from '../duckdb.ts';
import type { Connection, Database, Parameters } from '../duckdb.ts';
import type { DropFile } from './drop.ts';
import { surveyLines } from './survey.ts';

/**
 * Stages a runs file of lines in one statement, by DuckDB's own reader, which takes less than half as long as blocks of
 * lines do: all but the lines that are not beyond doubt.
 * @param parameters what the check of a run asks for
 * @returns the numbers of the doubtful lines, ascending; null where nothing was staged, because the file is of another
 * kind or the reader's rows are not its lines
 * @throws Failure that names the file when it cannot be read or unzipped to its end.
 */
export async function stageWhole(
  database: Database,
  file: DropFile,
  parameters: Parameters,
  onBytes: (bytes: number) => void,
): Promise<number[] | null> {
  if (file.kind !== 'runs' || file.format === 'parquet') return null;
  const connection = await database.connect();
  const progress = shareOf(file.bytes, onBytes);
  try {
    const [surveyed, staged] = await Promise.allSettled([
      surveyLines(file.path, file.format === 'ndjson.gz'),
      stage(connection, { ...parameters, path: exactly(file.path) }, progress),
    ]);
    if (surveyed.status === 'rejected') throw surveyed.reason;
    const { lines, suspects } = surveyed.value;
    // Blank lines are no rows. What the reader fails at, as at a line of more than 32 MiB, blocks may well take.
    if (staged.status === 'rejected' || staged.value !== lines) {
      await execute(connection, 'delete from staged_runs where line is null');
      progress(0);
      return null;
    }
    progress(1);
    return await numberLines(connection, file.file, suspects);
  } finally {
    connection.closeSync();
  }
}

/** @returns the rows that were staged. */
async function stage(
  connection: Connection,
  parameters: Parameters,
  onShare: (share: number) => void,
): Promise<number> {
  await executeWatched(connection, await readSql('stage-whole-runs'), parameters, onShare);
  const [counted] = await rowsOf<{ n: bigint }>(
    connection,
    'select count(*) as n from staged_runs where line is null',
  );
  return Number(counted!.n);
}

/** Rows lie in the order of the file, whatever thread read them. @returns the lines that are not staged after all. */
async function numberLines(
  connection: Connection,
  file: string,
  suspects: readonly number[],
): Promise<number[]> {
  await execute(connection, await readSql('number-whole-runs'));
  if (suspects.length > 0) {
    await execute(
      connection,
      'update staged_runs set id = null where file = $file and line in (select unnest($suspects))',
      { file, suspects: numberList(suspects) },
    );
  }
  const doubtful = await rowsOf<{ line: bigint }>(
    connection,
    'delete from staged_runs where id is null returning line',
  );
  return doubtful.map(({ line }) => Number(line)).toSorted((a, b) => a - b);
}

/** Tells what has been added since it was last asked; less than nothing where work begins again. */
function shareOf(bytes: number, onBytes: (bytes: number) => void): (share: number) => void {
  let told = 0;
  return (share) => {
    onBytes(share * bytes - told);
    told = share * bytes;
  };
}
