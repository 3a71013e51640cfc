import { rowsOf } from './duckdb.ts';
import type { Connection } from './duckdb.ts';

/** The tables and views that an SQL script reads and makes, as its head says: `-- Needs a, b.`, `-- Makes c.` */
export interface ScriptHead {
  needs: readonly string[];
  makes: readonly string[];
}

export function headOf(sql: string): ScriptHead {
  const [comment] = /^(?:--.*\n)*/.exec(sql)!;
  const listAfter = (word: string) => {
    const [, list] = new RegExp(`^-- ${word} ([\\w,\\s-]+)\\.$`, 'm').exec(comment) ?? [];
    return list?.match(/\w+/g) ?? [];
  };
  return { needs: listAfter('Needs'), makes: listAfter('Makes') };
}

interface Made {
  from: readonly string[];
  isOutdated: boolean;
}

const madeOn = new WeakMap<Connection, Map<string, Made>>();

function recordsOf(connection: Connection): Map<string, Made> {
  return madeOn.getOrInsertComputed(connection, () => new Map<string, Made>());
}

/** Records what was made, and that what was made from it before is out of date. */
export function recordMade(
  connection: Connection,
  relations: readonly string[],
  from: readonly string[] = [],
): void {
  const known = recordsOf(connection);
  const outdate = (changed: readonly string[]) => {
    const next = [...known].filter(
      ([, each]) => !each.isOutdated && each.from.some((name) => changed.includes(name)),
    );
    for (const [, each] of next) each.isOutdated = true;
    if (next.length > 0) outdate(next.map(([name]) => name));
  };
  outdate(relations);
  for (const name of relations) known.set(name, { from, isOutdated: false });
}

/**
 * @throws an Error that names a relation which was not made, or was made from one that changed since: the scripts run in a
 * wrong order, such as with tables of the slice before.
 */
export async function assertMade(
  connection: Connection,
  script: string,
  needs: readonly string[],
): Promise<void> {
  const known = recordsOf(connection);
  if (needs.some((name) => !known.has(name)))
    for (const { name } of await rowsOf<{ name: string }>(connection, RELATIONS))
      if (!known.has(name)) known.set(name, { from: [], isOutdated: false });
  for (const name of needs) {
    const found = known.get(name);
    if (found === undefined) throw new Error(`${script}.sql needs ${name}, which was not made before`);
    if (found.isOutdated)
      throw new Error(`${script}.sql needs ${name}, which was made from a relation that changed since`);
  }
}

const RELATIONS =
  'select table_name as name from duckdb_tables() union all select view_name as name from duckdb_views() where not internal';
