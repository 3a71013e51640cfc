import { rm } from 'node:fs/promises';
import { execute, openDatabase } from '../../../../jobs/duckdb.ts';
import { literal } from '../../../../jobs/literals.ts';

/** The least that an import can do: `FILE SCRATCH` reads a CSV file and writes it as Parquet. */
const [source, scratch] = process.argv.slice(2) as [string, string];
const database = await openDatabase({ scratch });
const connection = await database.connect();
const target = `${scratch}/read.parquet`;
await execute(
  connection,
  `copy (from read_csv(${literal(source)}, all_varchar = true)) to ${literal(target)} (format parquet, compression zstd)`,
);
await rm(target);
database.close();
