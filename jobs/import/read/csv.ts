import { Failure } from '../../../lib/failure.ts';
import { rowsOf } from '../../duckdb.ts';
import type { Connection } from '../../duckdb.ts';
import { literal, quoted } from '../../literals.ts';
import { ROW } from './rows.ts';
import type { Rows } from './rows.ts';
import type { SourceTable } from './sources.ts';

const TOTAL = String.raw`(?:grand |sub)?[ -]?totals?|sum|average|summe|gesamt|mittelwert|total général|suma|totale`;

/** What spreadsheet programs write for a formula that failed. */
const ERRORS = ['#NULL!', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#N/A', '#SPILL!', '#CALC!'];

/** The rows of a CSV file. Row 1 is the header. @throws Failure for a bad header */
export async function csvRows(connection: Connection, table: SourceTable): Promise<Rows> {
  const { delimiter, names } = await readHeader(connection, table);
  const types = names.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  const [first, ...others] = names.map(quoted);
  const isTotal = `regexp_full_match(trim_white(${first!}), ${literal(`(?i)(?:${TOTAL})\\b.{0,20}`)})`;
  return {
    // The header is row 1, as in a spreadsheet program, which also exports empty rows.
    from: `(
      select *, 1 + ${ROW}
      from read_csv(${literal(table.path)}, auto_detect = false, header = true, columns = {${types}},
        delim = ${literal(delimiter)}, quote = '"', escape = '"', parallel = false)
    ) where coalesce(${names.map(quoted).join(', ')}) is not null`,
    names,
    cellOf: (name) => `case when not is_blank(${quoted(name)}) then ${quoted(name)} end`,
    valueOf,
    isError: (cell) => `${cell} in (${ERRORS.map(literal).join(', ')})`,
    leftOut: (needed) => `case
      when not (${needed.map((cell) => `${cell} is null`).join(' or ') || 'false'}) then null
      when coalesce(${[...others, 'null'].join(', ')}) is null then 'nothing but its first cell: ' || ${first!}
      when ${isTotal} then 'a total: ' || ${first!}
    end`,
  };
}

function valueOf(cell: string, type: string): string {
  if (type === 'VARCHAR') return cell;
  if (/^(?:DOUBLE|FLOAT|DECIMAL)/.test(type)) return `try_cast(number_of(${cell}) as ${type})`;
  const isNested = /^STRUCT|^MAP|\[\d*\]$/.test(type);
  return `try_cast(${isNested ? `try_cast(${cell} as json)` : cell} as ${type})`;
}

const DELIMITERS = [',', ';', '\t', '|'];
/** A thousand take DuckDB a third of a second to read. */
const MOST_COLUMNS = 200;
/** With it a cell without text is '', and only a cell that is not there is null. */
const NO_CELL = '\u0001';

/**
 * The first row of a CSV file, by the parser that reads all rows. Its delimiter is the one of `, ; tab |` that gives the
 * most columns. (Not strict, or the rows below would be errors with a delimiter that is not theirs.) A column without a
 * name is called by its number.
 * @throws Failure for a first row without a name, or with one that comes twice.
 */
async function readHeader(
  connection: Connection,
  { path, file }: SourceTable,
): Promise<{ delimiter: string; names: string[] }> {
  const of = path.endsWith(file) ? path : file;
  const cells = Array.from({ length: MOST_COLUMNS }, (_, index) => `c${index}`);
  const types = cells.map((cell) => `${cell}: 'VARCHAR'`).join(', ');
  let best: { delimiter: string; names: string[] } = { delimiter: ',', names: [] };
  for (const delimiter of DELIMITERS) {
    const [row] = await rowsOf<{ header: (string | null)[] }>(
      connection,
      `select [${cells.join(', ')}] as header
       from read_csv(${literal(path)}, auto_detect = false, header = false, columns = {${types}}, delim = ${literal(delimiter)},
         quote = '"', escape = '"', nullstr = ${literal(NO_CELL)}, null_padding = true, strict_mode = false, parallel = false)
       limit 1`,
    );
    const names = (row?.header ?? []).flatMap((cell) => (cell === null ? [] : [cell.trim()]));
    if (names.length > best.names.length) best = { delimiter, names };
  }
  if (best.names.every((name) => name === ''))
    throw new Failure(`${of} has no names of columns in its first row`);
  best.names = best.names.map((name, index) => (name === '' ? `column ${index + 1}` : name));
  const known = best.names.map((name) => name.toLowerCase()); // as in SQL
  const twice = best.names.find((_, index) => known.indexOf(known[index]!) !== index);
  if (twice !== undefined) throw new Failure(`${of} has two columns named ${twice}`);
  return best;
}
