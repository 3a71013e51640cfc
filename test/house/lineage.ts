import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase, rowsOf } from '../../jobs/duckdb.ts';
import type { Connection } from '../../jobs/duckdb.ts';
import { literal } from '../../jobs/literals.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { baseRelations } from '../../jobs/weekly/history/parts.ts';
import { projectFiles, textOf } from './files.ts';

/** Lists the tables and views that ingest and the weekly job make in DuckDB. */
export const lineagePage = 'jobs/lineage.md';

/** A table or view, or all whose names begin with what stands before its `*`. Files are paths below `jobs/`. */
interface Relation {
  /** What one row is, by the comment of its query; null if TypeScript makes it. */
  row: string | null;
  makers: Set<string>;
  readers: Set<string>;
}

/** What templates of TypeScript stand for, where that is not one name. */
const placeholders: Record<string, readonly string[]> = {
  '${prefix}_${kind}': ['staged_*', 'tracked_*'],
  '${relation}': baseRelations,
  '${brands}': ['brand', 'moved_brand'],
};
/** Functions that make a table or view with the name that they are given. */
const MAKES =
  /\b(?:makeTable(?:Of)?|makeCycles|viewRuns|viewParquet)\([\w.]+, (?:import\.meta, )?'([\w-]+)'/g;
const CREATE = /(?<=^\s*|`)create (?:or replace )?(?:temp )?(?:table|view) (\S+)(?: as\b)?/gm;

const code = (files: ReadonlySet<string>) =>
  [...files]
    .toSorted()
    .map((file) => `\`${file}\``)
    .join(', ');

/** A page with its table written anew. What a row is that TypeScript makes is kept as it is on the page. */
export async function withLineage(page: string): Promise<string> {
  const cells = page.split('\n').map((line) => line.split(' | '));
  const rowOnPage = (name: string) => cells.find(([first]) => first === `| \`${name}\``)?.[1] ?? '';
  const rows = [...(await lineage())]
    .toSorted(([, a], [, b]) => compareText(code(a.makers), code(b.makers)))
    .map(
      ([name, { row, makers, readers }]) =>
        `| \`${name}\` | ${row ?? rowOnPage(name)} | ${code(makers)} | ${code(readers)} |\n`,
    );
  return page.replace(/(?<=^\| ---.*\n)(?:\|.*\n)*/m, () => rows.join(''));
}

/** What is made and read where, as found in the code. */
interface Found {
  made: { name: string; file: string; row: string | null }[];
  read: { name: string; file: string }[];
}

/** @throws an Error that names what is read and not made, and what is made and not read. */
async function lineage(): Promise<ReadonlyMap<string, Relation>> {
  const files = projectFiles().filter((path) => /^jobs\/(?:ingest|lake|weekly)\/.*\.(?:ts|sql)$/.test(path));
  const found: Found = { made: [], read: [] };
  for (const path of files.filter((each) => each.endsWith('.ts'))) searchTypeScript(path, found);
  await searchSql(
    files.filter((each) => each.endsWith('.sql')),
    found,
  );
  const relations = new Map<string, Relation>();
  for (const { name, file, row } of found.made) {
    const relation = relations.get(name) ?? { row, makers: new Set(), readers: new Set() };
    relations.set(name, relation);
    relation.makers.add(file);
    relation.row ??= row;
  }
  const wrong: string[] = [];
  for (const { name, file } of found.read) {
    const matching = relations.has(name)
      ? [name]
      : [...relations.keys()].filter((each) => isIn(each, name) || isIn(name, each));
    for (const each of matching) relations.get(each)!.readers.add(file);
    if (matching.length === 0 && file.endsWith('.sql'))
      wrong.push(`${file} reads ${name}, which nothing makes`);
  }
  for (const [name, { readers }] of relations) if (readers.size === 0) wrong.push(`nothing reads ${name}`);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
  return relations;
}

/** A select that `makeTable` runs is made by its SQL file. */
function searchTypeScript(path: string, { made, read }: Found): void {
  const file = path.slice('jobs/'.length);
  const text = textOf(path).replaceAll(/^ *(?:\/\*\*|\*|\/\/).*/gm, '');
  for (const [call, name] of text.matchAll(MAKES))
    made.push({
      name: name!.replaceAll('-', '_'),
      file: call.includes('import.meta') ? join(dirname(file), `${name}.sql`) : file,
      row: null,
    });
  for (const [, name] of text.matchAll(CREATE))
    for (const each of namesOf(name!)) made.push({ name: each, file, row: null });
  for (const [, name] of text.matchAll(/\b(?:from|join)\s+([\w${}]+)/g))
    for (const each of namesOf(name!)) read.push({ name: each, file });
}

/** After {@link searchTypeScript}, which finds the files that are one select into a table. */
async function searchSql(paths: readonly string[], { made, read }: Found): Promise<void> {
  using database = await openDatabase({ scratch: tmpdir() });
  const connection = await database.connect();
  for (const path of paths) {
    const file = path.slice('jobs/'.length);
    const table = made.find((each) => each.file === file)?.name;
    for (const statement of textOf(path).split(/;\n/)) {
      const sql = statement.replaceAll(/^ *--.*\n/gm, '').trim();
      const name = new RegExp(CREATE).exec(sql)?.[1] ?? table;
      if (name !== undefined) made.push({ name, file, row: rowOf(statement) });
      const select = sql
        .replace(CREATE, '')
        .replace(/^insert into \w+ by name/, '')
        .trim();
      if (/^(?:with|select|from)\b/.test(select))
        for (const each of await tablesIn(connection, select)) read.push({ name: each, file });
    }
  }
}

function namesOf(name: string): readonly string[] {
  return placeholders[name] ?? (name.startsWith('$') ? [] : [name.replace(/\$\{.*/, '*')]);
}

const isIn = (name: string, family: string) => family.endsWith('*') && name.startsWith(family.slice(0, -1));

function rowOf(comment: string): string | null {
  const [, row] = /^-- One row is ([^.:;,(]+)/m.exec(comment) ?? [];
  return row?.replaceAll(/\s+(?:-- )?/g, ' ').trim() ?? null;
}

/** The tables and views that a select reads, by DuckDB's parser. */
async function tablesIn(connection: Connection, select: string): Promise<string[]> {
  const [row] = await rowsOf<{ tree: string }>(
    connection,
    `select json_serialize_sql(${literal(select)}) as tree`,
  );
  const tree = JSON.parse(row!.tree) as { error: boolean; error_message?: string };
  if (tree.error) throw new Error(`${tree.error_message}: ${select}`);
  const names = new Set<string>();
  const own = new Set<string>();
  JSON.stringify(tree, (key, value: { type?: string; table_name: string; map: { key: string }[] } | null) => {
    if (value?.type === 'BASE_TABLE') names.add(value.table_name);
    if (key === 'cte_map') for (const each of value!.map) own.add(each.key);
    return value;
  });
  return [...names.difference(own)];
}
