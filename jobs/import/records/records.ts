import { Failure } from '../../../lib/failure.ts';
import { execute, rowsOf } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { copyRows, runScript, sqlNextTo } from '../../relations.ts';
import { trackingKinds } from '../../lake/layout.ts';
import type { TrackingKind } from '../../lake/layout.ts';
import type { Mapping, Views } from '../mapping.ts';

/** A column of a view: its type, and what stands for it where the mapping has none; without that it is needed. */
interface Field {
  type: string;
  otherwise?: string;
}

const MENTIONS =
  'struct(name varchar, subject varchar, competitor_id uuid, "position" bigint, sentiment varchar)[]';
const createdAt: Field = { type: 'timestamp', otherwise: "date_setting('created_at', '1970-01-01')" };
const text: Field = { type: 'varchar' };
const uuid: Field = { type: 'uuid' };
const optional = (type: string): Field => ({ type, otherwise: 'null' });

const tracking: Record<TrackingKind, Record<string, Field>> = {
  workspaces: { id: uuid, name: text, created_at: createdAt },
  brands: {
    id: uuid,
    workspace_id: uuid,
    name: text,
    domain: { type: 'varchar', otherwise: "''" },
    created_at: createdAt,
  },
  competitors: { id: uuid, brand_id: uuid, name: text },
  prompts: {
    id: uuid,
    brand_id: uuid,
    text,
    is_active: { type: 'boolean', otherwise: 'true' },
    created_at: createdAt,
    tags: { type: 'varchar[]', otherwise: 'null' },
  },
  events: {
    id: uuid,
    workspace_id: optional('uuid'),
    engine: optional('varchar'),
    date: { type: 'date' },
    text,
    url: optional('varchar'),
  },
};

const runs: Record<string, Field> = {
  id: uuid,
  brand_id: uuid,
  prompt_id: uuid,
  engine: text,
  ran_at: { type: 'timestamp' },
  status: { type: 'varchar', otherwise: "'success'" },
  mentions: optional(MENTIONS),
  named: optional('varchar[]'),
  answer: optional('varchar'),
  citations: optional('struct(url varchar, source_type varchar)[]'),
  model: optional('varchar'),
  answer_url: optional('varchar'),
  skip: optional('varchar'),
  // Where the answer is in the export, for reports.
  source_file: optional('varchar'),
  source_row: optional('bigint'),
  cell: optional('varchar'),
};

/** Of `missing`: an `answers` of null is a number that nobody knows. */
const missing: Record<string, Field> = { reason: text, answers: { type: 'bigint' } };

/** Only as records; `names` are what answers are searched for. */
const names: Record<string, Field> = { brand_id: uuid, competitor_id: optional('uuid'), name: text };

/**
 * `select …` with all the fields of a kind from the mapping's view; of no rows if there is no such view.
 * @throws Failure that names a missing column.
 */
function selectFields(mapping: Mapping, views: Views, view: string, fields: Record<string, Field>): string {
  const present = views.get(view);
  const columns = Object.entries(fields).map(([name, { type, otherwise }]) => {
    const value = present === undefined ? 'null' : present.includes(name) ? name : otherwise;
    if (value !== undefined) return `cast(${value} as ${type}) as ${name}`;
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
    const select = selectFields(mapping, views, kind, tracking[kind]);
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
  const select = selectFields(mapping, views, 'runs', runs);
  await execute(connection, `create temp view given_runs as ${select}`);
  await execute(connection, `create temp view given_names as ${selectNames(mapping, views)}`);
  await runScript(connection, import.meta, 'candidates', { is_weekly: cycles === 'weekly' });
}

export interface Missing {
  reason: string;
  /** Null: nobody knows how many. */
  answers: number | null;
}

/** What the export lacks, by the mapping. */
export async function missingOf(connection: Connection, mapping: Mapping, views: Views): Promise<Missing[]> {
  const select = selectFields(mapping, views, 'missing', missing);
  return await rowsOf<Missing>(
    connection,
    `select reason, case when count(*) = count(answers) then sum(answers)::double end as answers
     from (${select}) where answers is null or answers > 0 group by reason order by reason`,
  );
}

/** What answers are searched for: the view `names`, or else the names of brands and competitors. */
function selectNames(mapping: Mapping, views: Views): string {
  if (views.has('names')) return selectFields(mapping, views, 'names', names);
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
    await write(
      kind,
      `select ${Object.keys(tracking[kind]).map(asJson).join(', ')} from given_${kind} as r order by r.id`,
    );
  }
  if (await has('picked')) await write('runs', await sqlNextTo(import.meta, 'runs'));
  return files;
}

function asJson(name: string): string {
  return name === 'created_at' ? `strftime(created_at, '%Y-%m-%dT%H:%M:%S.%fZ') as created_at` : name;
}
