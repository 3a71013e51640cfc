import { Command, InvalidArgumentError } from 'commander';
import { parseRecordsLocation, readConfig } from '../../../lib/config.ts';
import { printTable } from '../../../lib/cli.ts';
import type { TableRow } from '../../../lib/cli.ts';
import { Failure } from '../../../lib/failure.ts';
import { copyRecords } from '../copy.ts';
import type { RecordCounts } from '../records.ts';
import { backUpSqlite } from '../sqlite/backup.ts';
import type { SqliteBackup } from '../sqlite/backup.ts';
import { note, print, printJson, withRecords } from './shared.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('create the records, or upgrade their schema; a gateway only upgrades it')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      await withRecords('create', async ({ name }) => {
        if (json) printJson({ records: name });
        note(`records at ${name} are up to date`);
      });
    });
}

export function copyCommand(): Command {
  return new Command('copy')
    .description('copy all SQLite records to an empty PostgreSQL database')
    .requiredOption('--from <records>', 'the source: sqlite:PATH', sqlitePath)
    .requiredOption('--to <records>', 'the target: postgres://…; it must be empty', postgresUrl)
    .option('--json', 'print JSON')
    .addHelpText('after', COPY_HELP)
    .action(async ({ from, to, json }: { from: string; to: string; json?: true }) => {
      const report = await copyRecords(from, to);
      if (json) printJson(report);
      else printTable([copiedRow(report.counts)]);
      note(`copied from ${report.from} to ${report.to}`);
    });
}

const COPY_HELP = `
Copies workspaces, keys (hash, prefix, label, created, revoked, last used), their ids, the counts of the current minute
and the checkpoints that gateways remember, in one transaction. Gateways may use the source meanwhile. Later changes are
not in the copy; if that matters, stop the gateways first.`;

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the SQLite records to a new file, consistently, while gateways run')
    .requiredOption('--to <file>', 'the copy; an existing file is never replaced')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nTo restore it, stop the gateways and put the file in the place of the records (docs/procedures.md).',
    )
    .action(async ({ to, json }: { to: string; json?: true }) => {
      const { RECORDS_URL: location } = readConfig();
      if (location.kind !== 'sqlite') {
        throw new Failure('RECORDS_URL is not sqlite:PATH; pg_dump backs up PostgreSQL');
      }
      print(await backUpSqlite(location.path, to), backupRow, json);
    });
}

function copiedRow({ workspaces, keys, revokedKeys, usedKeys }: RecordCounts): TableRow {
  return { workspaces, keys, 'revoked keys': revokedKeys, 'used keys': usedKeys };
}

function backupRow({ path, workspaces, keys, bytes }: SqliteBackup): TableRow {
  return { path, workspaces, keys, bytes };
}

function sqlitePath(text: string): string {
  const location = parseRecordsLocation(text);
  if (location?.kind !== 'sqlite') throw new InvalidArgumentError('expected sqlite:PATH.');
  return location.path;
}

function postgresUrl(text: string): string {
  const location = parseRecordsLocation(text);
  if (location?.kind !== 'postgres') throw new InvalidArgumentError('expected postgres://….');
  return location.url;
}
