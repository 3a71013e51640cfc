import { Command } from 'commander';
import { addCommands, runCommand } from '../lib/cli.ts';
import type { Loaders } from '../lib/cli.ts';

const commands: Loaders = {
  list: async (audit) => audit.addCommand((await import('./audit/list.ts')).listCommand()),
  show: async (audit) => audit.addCommand((await import('./audit/show-command.ts')).showCommand()),
  verify: async (audit) => audit.addCommand((await import('./audit/verify-command.ts')).verifyCommand()),
  diff: async (audit) => audit.addCommand((await import('./audit/diff-command.ts')).diffCommand()),
  rebuild: async (audit) => audit.addCommand((await import('./audit/rebuild-command.ts')).rebuildCommand()),
  prune: async (audit) => audit.addCommand((await import('./withdraw/commands.ts')).pruneCommand()),
  keygen: async (audit) => audit.addCommand((await import('./audit/keygen.ts')).keygenCommand()),
  withdraw: async (audit) => audit.addCommand((await import('./withdraw/commands.ts')).withdrawCommand()),
  rotate: async (audit) => audit.addCommand((await import('./withdraw/commands.ts')).rotateCommand()),
  log: async (audit) => audit.addCommand((await import('./audit/log-command.ts')).logCommand()),
};

/** Runs a command line, `argv` as in `process.argv`. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  const audit = new Command('audit').description(
    'Sightline: shows what was published in any week, and proves that it was not changed since (docs/auditing.md).',
  );
  // Status 1 of verify means that the store was tampered with, so a nightly job needs another one for errors.
  const failureStatus = argv[2] === 'verify' ? 3 : 1;
  return await runCommand(async () => await addCommands(audit, commands, argv), argv, failureStatus);
}

if (import.meta.main) await main(process.argv);
