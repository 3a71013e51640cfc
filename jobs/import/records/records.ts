import { Failure } from '../../../lib/failure.ts';
import { columnsOf, execute, rowsOf } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { quoted } from '../../literals.ts';
import { copyRows, runScript, sqlNextTo } from '../../relations.ts';
import { trackingKinds } from '../../lake/layout.ts';
import type { Mapping, Views } from '../mapping.ts';

/**
 * `select …` with all the columns of fields.sql from the mapping's view; of no rows if there is no such view.
 * @throws Failure that names a missing column.
 */
async function selectFields(
  connection: Connection,
  mapping: Mapping,
  views: Views,
  view: string,
): Promise<string> {
  const fields = await rowsOf<{ name: string; type: string; otherwise: string | null }>(
    connection,
    `select column_name as name, data_type as type, column_default as otherwise
     from duckdb_columns() where table_name = 'field_${view}' order by column_index`,
  );
  const present = views.get(view);
  const columns = fields.map(({ name, type, otherwise }) => {
    const value = present === undefined ? 'null' : present.includes(name) ? quoted(name) : otherwise;
    if (value !== null) return `cast(${value} as ${type}) as ${name}`;
    throw new Failure(`mapping ${mapping.name}: the view ${view} has no column ${name}`);
  });
  return `select ${columns.join(', ')} ${present === undefined ? 'where false' : `from main.${view}`}`;
}

/**
 * The tracking records of a mapping, in a table `given_KIND` for each kind.
 * @throws Failure for a mapping without records, for a view without a column that it needs, or for an id of several records
 */
export async function collectTracking(connection: Connection, mapping: Mapping, views: Views): Promise<void> {
  const kinds = [...trackingKinds, 'runs'];
  if (!kinds.some((kind) => views.has(kind)))
    throw new Failure(`mapping ${mapping.name} creates none of the views ${kinds.join(', ')}`);
  for (const kind of trackingKinds) {
    const select = await selectFields(connection, mapping, views, kind);
    await execute(connection, `create temp table given_${kind} as select distinct * from (${select})`);
    const [twice] = await rowsOf<{ id: string | null }>(
      connection,
      `select id::varchar as id from given_${kind} group by id having id is null or count(*) > 1 order by id limit 1`,
    );
    if (twice === undefined) continue;
    const reason =
      twice.id === null ? 'a record has no id' : `the id ${twice.id} stands for different records`;
    throw new Failure(`mapping ${mapping.name}: the view ${kind}: ${reason}`);
  }
}

/** What the mapping says of single cells: a table `given_problems`. */
export async function collectProblems(connection: Connection, mapping: Mapping, views: Views): Promise<void> {
  await runScript(connection, import.meta, 'fields');
  const select = await selectFields(connection, mapping, views, 'problems');
  await execute(connection, `create temp table given_problems as ${select}`);
}

/**
 * The runs of a mapping: tables `candidate` (every answer) and `placed` (those that are not skipped; the first of each cycle
 * are the runs). What is not in the drop goes to `problem_found` and `answers_missing`.
 */
export async function collectRuns(
  connection: Connection,
  mapping: Mapping,
  views: Views,
  cycles: 'weekly' | 'daily',
): Promise<void> {
  const select = await selectFields(connection, mapping, views, 'runs');
  await execute(connection, `create temp view given_runs as ${select}`);
  await execute(
    connection,
    `create temp view given_names as ${await selectNames(connection, mapping, views)}`,
  );
  const parameters = { is_weekly: cycles === 'weekly' };
  await runScript(connection, import.meta, 'candidates', parameters);
  await runScript(connection, import.meta, '../report/problems', parameters);
  const missing = await selectFields(connection, mapping, views, 'missing');
  await execute(connection, `insert into answers_missing ${missing}`);
}

/** What answers are searched for: the view `names`, or else the names of brands and competitors. */
async function selectNames(connection: Connection, mapping: Mapping, views: Views): Promise<string> {
  if (views.has('names')) return await selectFields(connection, mapping, views, 'names');
  return `select id as brand_id, null::uuid as competitor_id, name from given_brands
    union all select brand_id, id, name from given_competitors`;
}

/** Writes what was collected as the files of a drop, each in the order of its ids; none without a record. */
export async function writeRecords(
  connection: Connection,
  folder: string,
): Promise<{ file: string; records: number }[]> {
  const files: { file: string; records: number }[] = [];
  const write = async (name: string, query: string) => {
    const file = `${name}.ndjson`;
    files.push({ file, records: await copyRows(connection, query, `${folder}/${file}`, 'format json') });
  };
  const has = async (table: string) =>
    (await rowsOf(connection, `select 1 from ${table} limit 1`)).length > 0;
  for (const kind of trackingKinds) {
    if (!(await has(`given_${kind}`))) continue;
    const columns = [...(await columnsOf(connection, `from given_${kind}`)).keys()].map(asJson);
    await write(kind, `select ${columns.join(', ')} from given_${kind} as r order by r.id`);
  }
  if (await has('placed')) await write('runs', await sqlNextTo(import.meta, 'runs'));
  return files;
}

function asJson(name: string): string {
  return name === 'created_at' ? `strftime(created_at, '%Y-%m-%dT%H:%M:%S.%fZ') as created_at` : name;
}
