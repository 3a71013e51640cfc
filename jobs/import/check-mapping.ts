import { Failure } from '../../lib/failure.ts';
import { makeScratch } from '../../lib/files/scratch.ts';
import { columnsOf, openDatabase } from '../duckdb.ts';
import type { ColumnType, Connection } from '../duckdb.ts';
import { literal, quoted } from '../literals.ts';
import { failBy, readDeclared, readMapping } from './mapping.ts';
import { listSources } from './read/sources.ts';
import { readCsvHeader } from './read/csv.ts';
import { assignTables } from './read/tables.ts';
import type { SourceTable } from './read/sources.ts';
import { tablesOf } from './read/workbook.ts';

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
  const tables = await tablesOf(sources, scratch.path);
  const access = { files: tables.map(({ path }) => path), folders: [] };
  using database = await openDatabase({ scratch: scratch.path, access });
  const connection = await database.connect();
  const declared = await readDeclared(connection, mapping).catch((error: unknown) => failBy(mapping, error));
  const check: MappingCheck = { unread: [], notFound: [] };
  for (const [{ name: table, columns }, given] of assignTables(declared.tables, tables).tables) {
    if (given.length === 0) continue;
    const expected: Expected[] = [];
    for (const { name: column, type, isNullable } of columns) {
      const fields = await fieldsOf(connection, `select null::${type} as ${quoted(column)}`);
      for (const { field, isOpen } of fields) expected.push({ field, isOpen, isOptional: isNullable });
    }
    const found = new Set<string>();
    for (const each of given) {
      for (const field of await fieldsIn(connection, each)) found.add(field);
    }
    check.unread.push(
      ...[...found]
        .filter((field) => !expected.some((each) => isFor(each, field)))
        .map((field) => `${table}: ${field}`),
    );
    for (const each of expected)
      if (![...found].some((field) => isFor(each, field)))
        check.notFound.push({ field: `${table}: ${each.field}`, isOptional: each.isOptional });
  }
  return check;
}

interface Field {
  field: string;
  /** A map, or JSON: everything in it is read. */
  isOpen: boolean;
}

interface Expected extends Field {
  isOptional: boolean;
}

function isFor({ field, isOpen }: Expected, found: string): boolean {
  const [one, other] = [field.toLowerCase(), found.toLowerCase()];
  return one === other || (isOpen && (other.startsWith(`${one}.`) || other.startsWith(`${one}[`)));
}

async function fieldsIn(connection: Connection, table: SourceTable): Promise<string[]> {
  const path = literal(table.path);
  try {
    if (table.format === 'csv') return (await readCsvHeader(connection, table)).names;
    if (table.format === 'parquet')
      return namesOf(await fieldsOf(connection, `from read_parquet(${path}, hive_partitioning = false)`));
    const fields = await fieldsOf(
      connection,
      `from read_json(${path}, sample_size = -1, maximum_depth = -1, map_inference_threshold = -1,
        field_appearance_threshold = 0, maximum_object_size = ${Math.max(16 << 20, table.bytes)})`,
    );
    return namesOf(fields);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`${table.path} cannot be read: ${String(error)}`, { cause: error });
  }
}

function namesOf(fields: readonly Field[]): string[] {
  return fields.map(({ field }) => field);
}

/** The fields of a query's rows, those of structs and lists too: `data[].model.id`. */
async function fieldsOf(connection: Connection, sql: string): Promise<Field[]> {
  return [...(await columnsOf(connection, sql))].flatMap(([name, type]) => nestedFields(name, type));
}

function nestedFields(name: string, type: ColumnType): Field[] {
  if ('valueType' in type && !('keyType' in type)) return nestedFields(`${name}[]`, type.valueType);
  if (!('entryNames' in type)) return [{ field: name, isOpen: 'keyType' in type || type.alias === 'JSON' }];
  return type.entryNames.flatMap((entry, index) => nestedFields(`${name}.${entry}`, type.entryTypes[index]!));
}
