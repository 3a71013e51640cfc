import { Command } from 'commander';
import { runCommand } from '../../lib/cli.ts';
import { keyCommand } from './key-command.ts';
import { workspaceCommand } from './workspace-command.ts';

function recordsCommand(): Command {
  return new Command('records')
    .description('Workspaces and keys in the records that RECORDS_URL names (sqlite:.data/records.db).')
    .addCommand(workspaceCommand())
    .addCommand(keyCommand());
}

await runCommand(recordsCommand, process.argv);
