import { printTable } from '../../../lib/cli.ts';
import type { TableRow } from '../../../lib/cli.ts';
import type { KeyRecord, WorkspaceRecord } from '../records.ts';

export function workspaceRow(record: WorkspaceRecord): TableRow {
  return {
    id: record.id,
    name: record.name,
    plan: record.plan,
    'API access': record.includesApi ? 'yes' : 'no',
    'requests per minute': record.requestsPerMinute,
    'active keys': record.activeKeys,
  };
}

export function keyRow(record: KeyRecord): TableRow {
  return {
    prefix: record.prefix,
    label: record.label,
    created: record.createdAt,
    'last used': record.lastUsedAt,
    revoked: record.revokedAt,
  };
}

/** One record or several, as JSON or as a table. */
export function print<T>(records: T | T[], row: (record: T) => TableRow, json: true | undefined): void {
  if (json) printJson(records);
  else printTable((Array.isArray(records) ? records : [records]).map(row));
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a note for people on stderr, so that stdout contains results only. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}
