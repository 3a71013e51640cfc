import { Command } from 'commander';
import { runCommand } from '../lib/cli.ts';
import { logCommand } from './audit/log-command.ts';
import { diffCommand } from './audit/diff-command.ts';
import { keygenCommand } from './audit/keygen.ts';
import { listCommand } from './audit/list.ts';
import { pruneCommand, rotateCommand, withdrawCommand } from './withdraw/commands.ts';
import { rebuildCommand } from './audit/rebuild-command.ts';
import { showCommand } from './audit/show-command.ts';
import { verifyCommand } from './audit/verify-command.ts';

function auditCommand(): Command {
  return new Command('audit')
    .description(
      'Sightline: shows what was published in any week, and proves that it was not changed since (docs/auditing.md).',
    )
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(verifyCommand())
    .addCommand(diffCommand())
    .addCommand(rebuildCommand())
    .addCommand(pruneCommand())
    .addCommand(keygenCommand())
    .addCommand(withdrawCommand())
    .addCommand(rotateCommand())
    .addCommand(logCommand());
}

/** Runs a command line, `argv` as in `process.argv`. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  // Status 1 of verify means that the store was tampered with, so a nightly job needs another one for errors.
  return await runCommand(auditCommand, argv, argv[2] === 'verify' ? 3 : 1);
}

if (import.meta.main) await main(process.argv);
