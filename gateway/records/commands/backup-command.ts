import { Command } from 'commander';
import { systemClock } from '../../../lib/clock.ts';
import { readConfig } from '../../../lib/config.ts';
import { Failure } from '../../../lib/failure.ts';
import { jsonOption } from './arguments.ts';
import { note, print } from './output.ts';
import { backUpSqlite, restoreSqlite } from '../sqlite/backup.ts';
import type { SqliteHoldings } from '../sqlite/backup.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the SQLite records to a new file, consistently, while gateways run')
    .requiredOption('--to <file>', 'the copy; an existing file is never replaced')
    .addOption(jsonOption())
    .action(async ({ to, json }: { to: string; json?: true }) => {
      print(await backUpSqlite(sqlitePath('pg_dump backs up PostgreSQL'), to), row, json);
    });
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description('replace the SQLite records by a backup; gateways may run meanwhile')
    .requiredOption('--from <file>', 'a file that the backup command wrote')
    .addOption(jsonOption())
    .addHelpText('after', HELP)
    .action(async ({ from, json }: { from: string; json?: true }) => {
      const path = sqlitePath('pg_restore restores PostgreSQL');
      const restored = await restoreSqlite(from, path, systemClock.now());
      print(restored, row, json);
      if (restored.kept !== null) note(`the previous records are in ${restored.kept}`);
    });
}

const HELP = `
The current records are first backed up to a file next to them. Keys that were revoked after the backup are valid again:
revoke them again.`;

function sqlitePath(otherwise: string): string {
  const { RECORDS_URL: location } = readConfig();
  if (location.kind === 'sqlite') return location.path;
  throw new Failure(`RECORDS_URL is not sqlite:PATH; ${otherwise}`);
}

function row({ path, workspaces, keys, bytes }: SqliteHoldings) {
  return { path, workspaces, keys, bytes };
}
