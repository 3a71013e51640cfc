import { tmpdir } from 'node:os';
import { openDatabase, rowsOf } from '../../jobs/duckdb.ts';
import type { Connection } from '../../jobs/duckdb.ts';
import { literal } from '../../jobs/literals.ts';
import type { ScriptHead } from '../../jobs/script-heads.ts';

const CREATE = /^create (?:or replace )?(?:temp )?(?:table|view) (\S+)(?: as\b)?/;

/** What the statements of a script read and make. */
export async function foundIn(sql: string): Promise<ScriptHead> {
  using database = await openDatabase({ scratch: tmpdir(), threads: 1 });
  const connection = await database.connect();
  const [needs, makes] = [new Set<string>(), new Set<string>()];
  for (const statement of statementsOf(sql)) {
    const query = statement
      .replace(CREATE, '')
      .replace(/^insert into (\w+)(?: by name)?/, (_, table: string) => (needs.add(table), ''))
      .trim();
    if (/^(?:with|select|from)\b/.test(query))
      for (const each of await tablesIn(connection, query)) if (!makes.has(each)) needs.add(each);
    const [, name] = CREATE.exec(statement) ?? [];
    if (name !== undefined) makes.add(name);
  }
  return { needs: [...needs], makes: [...makes] };
}

/** The statements of a script, without comments. */
export function statementsOf(sql: string): string[] {
  const code = sql.replaceAll(/^ *--.*\n/gm, '');
  return code
    .split(/;\n/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** The tables and views that a query reads, by DuckDB's parser. */
async function tablesIn(connection: Connection, query: string): Promise<string[]> {
  const [row] = await rowsOf<{ tree: string }>(
    connection,
    `select json_serialize_sql(${literal(query)}) as tree`,
  );
  const tree = JSON.parse(row!.tree) as { error: boolean; error_message?: string };
  if (tree.error) throw new Error(`${tree.error_message}: ${query}`);
  const [names, own] = [new Set<string>(), new Set<string>()];
  JSON.stringify(tree, (key, value: { type?: string; table_name: string; map: { key: string }[] } | null) => {
    if (value?.type === 'BASE_TABLE') names.add(value.table_name);
    if (key === 'cte_map') for (const each of value!.map) own.add(each.key);
    return value;
  });
  return [...names.difference(own)];
}
