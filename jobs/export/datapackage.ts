import type { CellType } from '../../lib/tables/names.ts';
import { tables as definitions } from '../../lib/tables/tables.ts';
import { columnsOf, meaningOf } from './columns.ts';
import type { ExportReport } from './export.ts';
import type { Format } from './write.ts';

const fieldTypes: Record<CellType, string> = {
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'datetime',
};

const mediaTypes: Record<Format, string> = {
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  duckdb: 'application/vnd.duckdb',
};

/**
 * The description of an export as a Data Package 2 (datapackage.org): each table with its file, bytes, hash, and the type
 * and meaning of each column. `sightline` says what it was made from.
 */
export function dataPackageOf(report: ExportReport, format: Format) {
  const { tables, files, ...sightline } = report;
  const fileOf = new Map(files.map((file) => [file.file, file]));
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: 'sightline',
    resources: tables.map(({ table, file, rows }) => ({
      name: table,
      path: file,
      format,
      mediatype: mediaTypes[format],
      ...(format === 'csv' ? { encoding: 'utf-8' } : {}),
      ...dialectOf(format, table),
      description: definitions[table].row,
      bytes: fileOf.get(file)!.bytes,
      hash: `sha256:${fileOf.get(file)!.sha256}`,
      rows,
      schema: {
        $schema: 'https://datapackage.org/profiles/2.0/tableschema.json',
        fields: columnsOf(definitions[table]).map((column) => ({
          name: column.name,
          type: fieldTypes[column.type],
          description: meaningOf(column),
          ...(column.missing === undefined ? { constraints: { required: true } } : {}),
        })),
      },
    })),
    sightline,
  };
}

/** Where a table is in a file that several tables share. */
function dialectOf(format: Format, table: string): object {
  if (format === 'xlsx') return { dialect: { sheetName: table } };
  return format === 'duckdb' ? { dialect: { table } } : {};
}
