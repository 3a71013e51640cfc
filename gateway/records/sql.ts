import { readdirSync, readFileSync } from 'node:fs';

export type Dialect = 'sqlite' | 'postgres';

/** A SQL file, without `.sql`; those in `sql` are for both databases. A test compares these names with the folders. */
export type SqlFile = `${'' | `${Dialect}/`}sql/${string}`;

/** Runs the statement of a file, and returns its rows as objects. */
export type RunSql = <Row>(file: SqlFile, ...parameters: SqlParameter[]) => Promise<Row[]>;
export type SqlParameter = string | number | null;

const statements = new Map<SqlFile, string>();

/** The text of a file in PostgreSQL's syntax, cached. */
export function readSql(file: SqlFile): string {
  return statements.getOrInsertComputed(file, () =>
    readFileSync(new URL(`${file}.sql`, import.meta.url), 'utf8'),
  );
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
  return files.map((file) => ({
    version: Number(file.split('-')[0]),
    file,
    sql: readFileSync(new URL(file, folder), 'utf8'),
  }));
}
