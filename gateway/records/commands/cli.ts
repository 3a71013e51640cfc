import { Command } from 'commander';
import { runCommand } from '../../../lib/cli.ts';
import { backupCommand, copyCommand, migrateCommand } from './database-commands.ts';
import { keyCommand } from './key-command.ts';
import { logCommand } from './log-command.ts';
import { workspaceCommand } from './workspace-command.ts';

function recordsCommand(): Command {
  return new Command('records')
    .description(
      'Sightline: manages workspaces and API keys in the records that RECORDS_URL names (sqlite:.data/records.db).',
    )
    .addCommand(workspaceCommand())
    .addCommand(keyCommand())
    .addCommand(logCommand())
    .addCommand(migrateCommand())
    .addCommand(copyCommand())
    .addCommand(backupCommand());
}

/** Runs a command line, `argv` as in `process.argv`. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  return await runCommand(recordsCommand, argv);
}

if (import.meta.main) await main(process.argv);
