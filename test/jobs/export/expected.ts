import { tableNames } from '../../../lib/tables/names.ts';
import type { TableName } from '../../../lib/tables/names.ts';
import { rowsOf } from '../../reference/tables.ts';
import type { GivenBrand, Row, Value } from '../../reference/tables.ts';
import type { PublishedWeek } from './published.ts';
import { workspaceId } from './published.ts';

export type { Row, Value };
export type Tables = Record<TableName, Row[]>;

/** The rows of every table, flattened from the documents in plain code. */
export function expectedTables(weeks: readonly PublishedWeek[]): Tables {
  const tables = Object.fromEntries(tableNames.map((name) => [name, [] as Row[]])) as Tables;
  for (const week of weeks)
    for (const { brand, documents } of week.brands) {
      const given = { brand, methodologyVersion: '1.2', documents } as GivenBrand;
      for (const [table, rows] of Object.entries(rowsOf(given)))
        for (const row of rows) tables[table as TableName].push(exportedRow(week, table, row));
    }
  return tables;
}

function exportedRow(week: PublishedWeek, table: string, row: Row): Row {
  const whole = {
    workspace_id: workspaceId,
    workspace_name: week.workspaceName,
    snapshot_id: week.snapshotId,
    sequence: week.sequence,
    as_of: week.asOf,
    ...row,
    ...(table === 'brands' && { published_at: week.publishedAt }),
  };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, value ?? null]));
}
