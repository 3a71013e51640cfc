import { readdirSync, readFileSync } from 'node:fs';

export type Dialect = 'sqlite' | 'postgres';

const statements = new Map<string, string>();

/** The text of `gateway/records/DIALECT/sql/NAME.sql`, cached. @param name such as `schema/identify` */
export function readSql(dialect: Dialect, name: string): string {
  const file = `${dialect}/sql/${name}.sql`;
  const known = statements.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  statements.set(file, text);
  return text;
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
