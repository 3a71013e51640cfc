import leven from 'leven';
import { literal, quoted } from '../../literals.ts';
import type { Declared } from '../mapping.ts';

type Column = Declared['columns'][number];

/** The rows of a file, as SQL. */
export interface Rows {
  /** A relation that numbers them in `source_row`. */
  from: string;
  /** Its columns, as the file names them. */
  names: readonly string[];
  /** A cell; NULL where it is empty. */
  cellOf: (name: string) => string;
  /** A cell as a value; NULL where it cannot be read. The cell itself if it needs no reading. */
  valueOf: (cell: string, type: string) => string;
  /** True for the error of a formula. */
  isError?: (cell: string) => string;
  /** Why a row is none of the table, such as a total, by the cells that it needs; NULL where it is one. */
  leftOut?: (needed: readonly string[]) => string;
}

/** Numbers the rows of a file in its order. */
export const ROW = 'row_number() over () as source_row';

/** The declared columns of a file's rows, with what is wrong in the cells of each: `problems`. */
export function selectChecked(columns: readonly Column[], file: string, rows: Rows): string {
  const checked = columns.map((column) => checkedColumn(column, rows));
  const needed = checked.flatMap(({ cell, isNeeded }) => (isNeeded ? [cell] : []));
  const leftOut = rows.leftOut?.(needed) ?? 'null::varchar';
  const problems = checked.flatMap((column) => column.problems).join(', ');
  return `
    select
      ${checked.map(({ name, value }) => `${value} as ${name},`).join(' ')}
      ${literal(file)} as source_file,
      source_row,
      ${leftOut} as left_out,
      case when ${leftOut} is null then list_filter([${problems}], lambda problem: problem is not null) else [] end
        ::struct("column" varchar, "value" varchar, why varchar)[] as problems
    from ${rows.from}`;
}

/** A column that the file does not have is NULL in all rows: that it is missing is said once. */
function checkedColumn({ name, type, isNullable }: Column, rows: Rows) {
  const found = rows.names.find((other) => isSameName(other, name));
  const none = `null::${type}`;
  const cell = found === undefined ? none : rows.cellOf(found);
  const value = found === undefined ? none : rows.valueOf(cell, type);
  const problem = (condition: string, why: string) =>
    `case when ${condition} then {'column': ${literal(name)}, 'value': ${cell}::varchar, 'why': ${literal(why)}} end`;
  const isNeeded = found !== undefined && !isNullable;
  const problems = [
    ...(isNeeded ? [problem(`${cell} is null`, `${name} is missing`)] : []),
    ...(found !== undefined && rows.isError !== undefined && type === 'VARCHAR'
      ? [problem(rows.isError(cell), `${name} has the error of a formula`)]
      : []),
    ...(value === cell
      ? []
      : [problem(`${cell} is not null and ${value} is null`, `${name} cannot be read as ${type}`)]),
  ];
  return { name: quoted(name), cell, value, isNeeded, problems };
}

/** A column that a file lacks, or has under another name. */
export interface HeaderProblem {
  column: string;
  value: string | null;
  why: string;
}

/** How the names of a file's columns differ from those that are declared. */
export function compareHeader(
  columns: readonly Column[],
  names: readonly string[],
): { problems: HeaderProblem[]; unread: string[] } {
  const absent = columns.filter(({ name }) => !names.some((other) => isSameName(other, name)));
  const unread = names.filter((name) => !columns.some((column) => isSameName(column.name, name)));
  const missing = absent.filter(({ isNullable }) => !isNullable);
  const near = unread.map((name) => ({ name, meant: meantBy(name, absent) }));
  const problems = [
    ...missing.map(({ name }) => ({
      column: name,
      value: unread.length === 0 ? null : `not read: ${unread.join(', ')}`,
      why: `there is no column ${name}`,
    })),
    ...near.flatMap(({ name, meant }) =>
      meant === null
        ? []
        : [
            {
              column: name,
              value: name,
              why: `not read; is the column ${meant} meant? Rename it, or delete it`,
            },
          ],
    ),
  ];
  return { problems, unread: near.flatMap(({ name, meant }) => (meant === null ? [name] : [])) };
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The column that a name stands for: it begins with it, as `Answer text`, or differs by a letter or two. */
function meantBy(given: string, absent: readonly Column[]): string | null {
  return absent.find(({ name }) => isNear(plain(given), plain(name)))?.name ?? null;
}

function isNear(name: string, column: string): boolean {
  const shorter = Math.min(name.length, column.length);
  if (shorter >= 4 && (name.startsWith(column) || column.startsWith(name))) return true;
  return leven(name, column) <= Math.min(2, shorter / 3);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
