import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { execute, openDatabase } from '../../../../jobs/duckdb.ts';
import { makeMacros } from '../../../../jobs/relations.ts';
import { parquetFiles } from '../../../../jobs/literals.ts';
import { WINDOW_DAYS } from '../../../../lib/methodology/constants.ts';
import { parseInstant } from '../../../../lib/methodology/instant.ts';

/** `LAKE AS_OF SCRATCH`: computes a week's documents directly, one statement each over all raw runs. */
const [lake, asOf, scratch] = process.argv.slice(2) as [string, string, string];
const database = await openDatabase({ scratch });
const connection = await database.connect();
// The job spills to disk; this program would run out of memory.
const megabytes = Math.floor((0.6 * totalmem()) / 1e6);
await execute(connection, `set global memory_limit = '${megabytes}MB'`);
await makeMacros(connection);
const files = (pattern: string) => parquetFiles(globSync(`${lake}/${pattern}/*.parquet`));
await execute(connection, `create view run as from ${files('runs/*')}`);
await execute(connection, `create view competitor as from ${files('tracking/competitors/*')}`);
const sql = await readFile(new URL('./plain.sql', import.meta.url), 'utf8');
const since = parseInstant(asOf)! - BigInt(WINDOW_DAYS) * 86_400_000_000n;
await execute(connection, sql, { since });
database.close();
