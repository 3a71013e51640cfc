import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { execute, openDatabase } from '../../../../jobs/duckdb.ts';
import { literal, parquetFiles } from '../../../../jobs/literals.ts';

/**
 * The minimum work of the job, as plain DuckDB queries. `read LAKE SCRATCH`: read and unnest every mention and
 * citation of all runs. `convert FILE SCRATCH`: a week of NDJSON to Parquet.
 */
const [what, source, scratch] = process.argv.slice(2) as [string, string, string];
const database = await openDatabase({ scratch });
const connection = await database.connect();
if (what === 'read') {
  const runs = parquetFiles(globSync(`${source}/runs/*/*.parquet`));
  await execute(
    connection,
    `select count(*), max(m.name), sum(m.position), max(m.sentiment), max(m.competitor_id), max(m.subject)
     from (select unnest(mentions) as m from ${runs});
     select count(*), max(c.host), max(c.source_type)
     from (select unnest(citations) as c from ${runs})`,
  );
} else {
  const target = `${scratch}/floor.parquet`;
  await execute(
    connection,
    `copy (from read_json(${literal(source)})) to ${literal(target)} (format parquet, compression zstd)`,
  );
  await rm(target);
}
database.close();
