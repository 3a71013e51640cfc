import type { Command } from 'commander';
import { expect, test } from 'vitest';
import {
  backupCommand,
  copyCommand,
  migrateCommand,
} from '../../gateway/records/commands/database-commands.ts';
import { keyCommand } from '../../gateway/records/commands/key-command.ts';
import { workspaceCommand } from '../../gateway/records/commands/workspace-command.ts';
import { demoCommand } from '../../jobs/demo/command.ts';
import { exportCommand } from '../../jobs/export/command.ts';
import { importCommand } from '../../jobs/import/command.ts';
import { ingestCommand } from '../../jobs/ingest/command.ts';
import { removeCommand } from '../../jobs/remove/command.ts';
import { scheduleCommand } from '../../jobs/schedule/command.ts';
import { weeklyCommand } from '../../jobs/weekly/command.ts';
import { keygenCommand } from '../../snapshots/audit/keygen.ts';
import { listCommand } from '../../snapshots/audit/list.ts';
import { rebuildCommand } from '../../snapshots/audit/rebuild-command.ts';
import { showCommand } from '../../snapshots/audit/show-command.ts';
import { verifyCommand } from '../../snapshots/audit/verify-command.ts';
import { diffCommand } from '../../snapshots/audit/diff-command.ts';
import { logCommand } from '../../snapshots/audit/log-command.ts';
import { pruneCommand, rotateCommand, withdrawCommand } from '../../snapshots/withdraw/commands.ts';

const groups = [
  [demoCommand, importCommand, ingestCommand, weeklyCommand, scheduleCommand, exportCommand, removeCommand],
  [listCommand, showCommand, verifyCommand, diffCommand, rebuildCommand, pruneCommand],
  [keygenCommand, logCommand, withdrawCommand, rotateCommand],
  [workspaceCommand, keyCommand, migrateCommand, copyCommand, backupCommand],
];
const commands = groups.flat().flatMap((build) => withChildren(build()));

function withChildren(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withChildren)];
}

/** All that `--help` prints, on a terminal of 80 columns. */
function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return help;
}

test.each(commands.map((command) => ({ name: command.name(), command })))(
  'the help of $name names only options that it has, in lines that fit',
  ({ command }) => {
    const help = helpOf(command);
    expect(help).toContain('Usage: ');
    const known = new Set(['--help', ...command.options.map(({ long }) => long)]);
    const named = help.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [];
    expect(named.filter((option) => !known.has(option))).toEqual([]);
    expect(command.description()).toMatch(/^[a-z][^]*[^.]$/); // a phrase, as in lists of commands
    expect(help).not.toContain('(default: {})');
    expect(help.split('\n').filter((line) => line.length > 120)).toEqual([]);
  },
);
