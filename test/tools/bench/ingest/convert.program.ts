import { execute, openDatabase } from '../../../../jobs/duckdb.ts';
import { literal } from '../../../../jobs/literals.ts';

/** `FILE SCRATCH`: a week of NDJSON to Parquet, as DuckDB does it alone. */
const [source, scratch] = process.argv.slice(2) as [string, string];
using database = await openDatabase({ scratch });
await execute(
  await database.connect(),
  `copy (from read_json(${literal(source)})) to ${literal(`${scratch}/floor.parquet`)} (format parquet, compression zstd)`,
);
