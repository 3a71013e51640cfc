import type { ColumnType } from '../../duckdb.ts';
import { quoted } from '../../literals.ts';
import { dateFields } from './fields.ts';
import type { Fields } from './fields.ts';

/**
 * A row of a Parquet file as JSON text with the fields of the contract, as an SQL expression. Other columns are not read:
 * they may have any type and content.
 */
export function parquetRecord(columns: ReadonlyMap<string, ColumnType>, fields: Fields): string {
  const read = packed(columns, fields, (name) => quoted(name));
  return read === null ? `'{}'` : `to_json(${read})::varchar`;
}

/** A struct of the fields that are there; null if there is none. */
function packed(
  columns: ReadonlyMap<string, ColumnType>,
  fields: Fields,
  expressionOf: (name: string) => string,
): string | null {
  const found = Object.entries(fields).flatMap(([name, field]) => {
    const type = columns.get(name);
    if (type === undefined) return [];
    const expression = expressionOf(name);
    const value = typeof field === 'string' ? scalar(expression, type, name) : list(expression, type, field);
    return [`${quoted(name)} := ${value}`];
  });
  return found.length === 0 ? null : `struct_pack(${found.join(', ')})`;
}

function list(expression: string, type: ColumnType, [fields]: readonly [Fields]): string {
  // A map has a value type too.
  const item = 'valueType' in type && !('keyType' in type) ? type.valueType : null;
  if (item === null || !('entryNames' in item)) return expression;
  const columns = new Map(item.entryNames.map((name, index) => [name, item.entryTypes[index]!]));
  const value = packed(columns, fields, (name) => `item.${quoted(name)}`) ?? 'null::varchar';
  return `list_transform(${expression}, lambda item: ${value})`;
}

/** A value in the format of the NDJSON contract: a timestamp without a zone is UTC, which is the zone of the database; a number that is none is missing. */
function scalar(expression: string, columnType: ColumnType, field: string): string {
  const type = columnType.toString();
  if (type === 'BLOB') return `try(decode(${expression}))`; // some writers do not mark their texts as such
  if (type === 'FLOAT' || type === 'DOUBLE')
    return `case when isfinite(${expression}) then ${expression} end`;
  if (!type.startsWith('TIMESTAMP')) return expression;
  const utc = `(${expression})::timestamp`;
  const instant = `strftime(${utc}, '%Y-%m-%dT%H:%M:%S.%fZ')`;
  if (!dateFields.has(field)) return instant;
  return `case when ${utc} = date_trunc('day', ${utc}) then strftime(${utc}, '%Y-%m-%d') else ${instant} end`;
}
