import { readdirSync, readFileSync } from 'node:fs';

export type Dialect = 'sqlite' | 'postgres';

/** The SQL files, without `.sql`: those in `sql` are for both databases. A test compares them with the folders. */
export const sqlFiles = [
  'sql/count-records',
  'sql/forget-checkpoint',
  'sql/insert-key',
  'sql/keep-checkpoint',
  'sql/list-checkpoints',
  'sql/list-keys',
  'sql/list-workspaces',
  'sql/newest-workspace',
  'sql/open-count',
  'sql/revoke-key',
  'sql/set-workspace',
  'sqlite/sql/all-checkpoints',
  'sqlite/sql/all-counts',
  'sqlite/sql/all-keys',
  'sqlite/sql/all-workspaces',
  'sqlite/sql/check-integrity',
  'sqlite/sql/count-requests',
  'sqlite/sql/count-tables',
  'sqlite/sql/find-keys',
  'sqlite/sql/stamp-key',
  'postgres/sql/admit',
  'postgres/sql/admit-one',
  'postgres/sql/continue-numbers',
  'postgres/sql/create-migrations',
  'postgres/sql/find-migrations',
  'postgres/sql/insert-records',
  'postgres/sql/list-migrations',
  'postgres/sql/lock-migrations',
  'postgres/sql/read-clock',
  'postgres/sql/record-migration',
  'postgres/sql/show-rights',
] as const;
export type SqlFile = (typeof sqlFiles)[number];

/** Runs the statement of a file, and returns its rows as objects. */
export type RunSql = <Row>(file: SqlFile, ...parameters: SqlParameter[]) => Promise<Row[]>;
export type SqlParameter = string | number | null;

const statements = new Map<SqlFile, string>();

/** The text of a file in PostgreSQL's syntax, cached. */
export function readSql(file: SqlFile): string {
  const known = statements.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(`${file}.sql`, import.meta.url), 'utf8');
  statements.set(file, text);
  return text;
}

/** As {@link readSql}, for SQLite, which has no schemas and does not bind `$1` by position. */
export function readSqliteSql(file: SqlFile): string {
  return readSql(file)
    .replaceAll(/\$(?=\d)/g, '?')
    .replaceAll('sightline.', '');
}

export interface Migration {
  /** 1, 2, 3…, without gaps: the version of the schema once it has run. */
  version: number;
  file: string;
  sql: string;
}

/** The numbered files of `gateway/records/DIALECT/migrations`, in order. */
export function readMigrations(dialect: Dialect): Migration[] {
  const folder = new URL(`${dialect}/migrations/`, import.meta.url);
  const files = readdirSync(folder).toSorted();
  return files.map((file, index) => {
    if (Number(file.slice(0, 4)) !== index + 1) throw new Error(`${file} is out of turn`);
    return { version: index + 1, file, sql: readFileSync(new URL(file, folder), 'utf8') };
  });
}
