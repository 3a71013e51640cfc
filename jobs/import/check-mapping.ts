import { Failure } from '../../lib/failure.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { columnsOf, openDatabase } from '../duckdb.ts';
import type { ColumnType, Connection } from '../duckdb.ts';
import { literal } from '../literals.ts';
import { planMapping, readMapping } from './mapping.ts';
import { listSources } from './read/sources.ts';
import { readCsvHeader } from './read/csv.ts';
import { assignTables, tablesOf } from './read/tables.ts';
import type { SourceTable } from './read/tables.ts';
import { sheetsOf } from './read/workbook.ts';

/** How the fields of some files differ from those that a mapping reads. A field is written as `data[].model.id`. */
export interface MappingCheck {
  /** Fields of the files that the mapping does not read. */
  unread: string[];
  /** Fields that the mapping reads and no file has; those that may be missing have `isOptional`. */
  notFound: { field: string; isOptional: boolean }[];
}

/** Compares the fields of files with those that a mapping reads. Writes nothing. */
export async function checkMapping(name: string, from: readonly string[]): Promise<MappingCheck> {
  const mapping = await readMapping(name);
  const sources = await listSources(from);
  await using scratch = await makeScratch('import');
  const plan = await planMapping(mapping, { settings: {}, engines: {} }, scratch.path);
  const tables = tablesOf(sources);
  for (const source of sources)
    if (source.format === 'xlsx') tables.push(...(await sheetsOf(source, scratch.path)));
  using database = await openDatabase({ scratch: scratch.path });
  const connection = await database.connect();
  const check: MappingCheck = { unread: [], notFound: [] };
  for (const [declared, given] of assignTables(plan.declared, tables).tables) {
    if (given.length === 0) continue;
    const expected = new Map<string, boolean>();
    for (const { name: column, type, isNullable } of declared.columns) {
      const fields = await fieldsOf(connection, `select null::${type} as "${column.replaceAll('"', '""')}"`);
      for (const field of fields) expected.set(field, isNullable);
    }
    const found = new Set<string>();
    for (const table of given) {
      for (const field of await fieldsIn(connection, table)) found.add(field);
    }
    check.unread.push(
      ...[...found]
        .filter((field) => !isIn(expected.keys(), field))
        .map((field) => `${declared.name}: ${field}`),
    );
    for (const [field, isOptional] of expected)
      if (!isIn(found, field)) check.notFound.push({ field: `${declared.name}: ${field}`, isOptional });
  }
  return check;
}

function isIn(fields: Iterable<string>, field: string): boolean {
  return [...fields].some((other) => other.toLowerCase() === field.toLowerCase());
}

async function fieldsIn(connection: Connection, table: SourceTable): Promise<string[]> {
  const path = literal(table.path);
  try {
    if (table.format === 'csv') return (await readCsvHeader(connection, table)).names;
    if (table.format === 'parquet')
      return await fieldsOf(connection, `from read_parquet(${path}, hive_partitioning = false)`);
    return await fieldsOf(
      connection,
      `from read_json(${path}, sample_size = -1, maximum_depth = -1, map_inference_threshold = -1,
        field_appearance_threshold = 0, maximum_object_size = ${Math.max(16 << 20, table.bytes)})`,
    );
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${table.path} cannot be read: ${String(error)}`, { cause: error });
  }
}

/** The fields of a query's rows, those of structs and lists too: `data[].model.id`. */
async function fieldsOf(connection: Connection, sql: string): Promise<string[]> {
  return [...(await columnsOf(connection, sql))].flatMap(([name, type]) => nestedFields(name, type));
}

function nestedFields(name: string, type: ColumnType): string[] {
  if ('valueType' in type && !('keyType' in type)) return nestedFields(`${name}[]`, type.valueType);
  if (!('entryNames' in type)) return [name];
  return type.entryNames.flatMap((entry, index) => nestedFields(`${name}.${entry}`, type.entryTypes[index]!));
}
