import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { execute, openDatabase } from '../../../../jobs/duckdb.ts';
import { literal, parquetFiles } from '../../../../jobs/literals.ts';

/**
 * The minimum work of the job, as plain DuckDB queries. `read LAKE SINCE SCRATCH`: read and unnest every mention and
 * citation of the runs since an instant, and read the base of earlier runs. `convert FILE SCRATCH`: a week of NDJSON to
 * Parquet.
 */
const [what, source, since, scratch] = process.argv.slice(2) as [string, string, string, string];
const database = await openDatabase({ scratch });
const connection = await database.connect();
if (what === 'read') {
  const runs = parquetFiles(globSync(`${source}/runs/*/*.parquet`));
  const base = since.startsWith('1970') ? [] : globSync(`${source}/bases/*/*/*/*/names-*.parquet`);
  if (base.length > 0)
    await execute(connection, `select count(*), max(columns(*)) from ${parquetFiles(base)}`);
  await execute(
    connection,
    `select count(*), max(m.name), sum(m.position), max(m.sentiment), max(m.competitor_id), max(m.subject)
     from (select unnest(mentions) as m from ${runs} where ran_at > timestamp ${literal(since)});
     select count(*), max(c.host), max(c.source_type)
     from (select unnest(citations) as c from ${runs} where ran_at > timestamp ${literal(since)})`,
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
