import { Failure } from '../../../lib/failure.ts';
import { literal, quoted } from '../../literals.ts';
import type { Declared } from '../mapping.ts';
import type { SourceTable } from './sources.ts';

export type Column = Declared['columns'][number];

/** A column of a table, read from a file. */
export interface Value {
  column: Column;
  /** Its SQL, NULL where it cannot be read. */
  value: string;
  /** The SQL of the cell as it is in the file. */
  cell: string;
  /** The SQL that is true for a cell with the error of a formula, where files have formulas. */
  isError?: string;
}

/** How a file is read, and its columns that are not. */
export interface Selected {
  select: string;
  unread: string[];
}

export function unreadOf(columns: readonly Column[], present: readonly string[]): string[] {
  const read = new Set(columns.map(({ name }) => name.toLowerCase()));
  return present.filter((name) => !read.has(name.toLowerCase()));
}

/** The rows of `from`, which numbers them in `source_row`, with what is wrong in them. */
export function selectChecked(
  values: readonly Value[],
  { file }: SourceTable,
  from: string,
  leftOut = 'null::varchar',
): string {
  const problems = values.flatMap(({ column: { name, type, isNullable }, value, cell, isError }) => [
    ...(isNullable
      ? []
      : [`case when ${cell} is null then {'reason': ${literal(`${name} is missing`)}, 'cell': null} end`]),
    ...(isError === undefined
      ? []
      : [
          `case when ${isError} then {'reason': ${literal(`${name} has the error of a formula`)}, 'cell': ${cell}} end`,
        ]),
    ...(value === cell
      ? []
      : [
          `case when ${cell} is not null and ${value} is null
             then {'reason': ${literal(`${name} cannot be read as ${type}`)}, 'cell': ${cell}::varchar} end`,
        ]),
  ]);
  const listed = problems.length === 0 ? '[]' : `[${problems.join(', ')}]`;
  return `
    select
      ${values.map(({ column, value }) => `${value} as ${quoted(column.name)},`).join(' ')}
      ${literal(file)} as source_file,
      source_row,
      ${leftOut} as left_out,
      case when ${leftOut} is null then list_filter(${listed}, lambda problem: problem is not null) else [] end
        ::struct(reason varchar, cell varchar)[] as problems
    from ${from}`;
}

/** Numbers the rows of a file in its order. */
export const ROW = 'row_number() over () as source_row';

/** As the file writes it; null where it is missing and may be. */
export function columnNamed(
  { name, isNullable }: Column,
  present: readonly string[],
  { path, file }: SourceTable,
): string | null {
  const found = present.find((other) => other.toLowerCase() === name.toLowerCase());
  if (found === undefined && !isNullable)
    throw new Failure(
      `${path.endsWith(file) ? path : file} has no column ${name} in its first row; it has ${present.join(', ')}`,
    );
  return found ?? null;
}
