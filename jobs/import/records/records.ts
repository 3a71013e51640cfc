import { Failure } from '../../../lib/failure.ts';
import { columnsOf, execute, rowsOf } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
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
    const value = present === undefined ? 'null' : present.includes(name) ? name : otherwise;
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
  await runScript(connection, import.meta, 'fields');
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

/** The runs of a mapping: tables `candidate` (every answer) and `picked` (those that are runs). */
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
  await runScript(connection, import.meta, 'candidates', { is_weekly: cycles === 'weekly' });
}

export interface Missing {
  reason: string;
  /** Null: nobody knows how many. */
  answers: number | null;
}

/** What the export lacks, by the mapping. */
export async function missingOf(connection: Connection, mapping: Mapping, views: Views): Promise<Missing[]> {
  const select = await selectFields(connection, mapping, views, 'missing');
  return await rowsOf<Missing>(
    connection,
    `select reason, case when count(*) = count(answers) then sum(answers)::double end as answers
     from (${select}) where answers is null or answers > 0 group by reason order by reason`,
  );
}

/** What answers are searched for: the view `names`, or else the names of brands and competitors. */
async function selectNames(connection: Connection, mapping: Mapping, views: Views): Promise<string> {
  if (views.has('names')) return await selectFields(connection, mapping, views, 'names');
  return `select id as brand_id, null::uuid as competitor_id, name from given_brands
    union all select brand_id, id, name from given_competitors`;
}

export interface WrittenFile {
  file: string;
  records: number;
}

/** Writes what was collected as the files of a drop, each in the order of its ids; none without a record. */
export async function writeRecords(connection: Connection, folder: string): Promise<WrittenFile[]> {
  const files: WrittenFile[] = [];
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
  if (await has('picked')) await write('runs', await sqlNextTo(import.meta, 'runs'));
  return files;
}

function asJson(name: string): string {
  return name === 'created_at' ? `strftime(created_at, '%Y-%m-%dT%H:%M:%S.%fZ') as created_at` : name;
}
