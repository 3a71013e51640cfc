import { Command } from 'commander';
import { printTable, progressBar, uuidArgument } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { openLake } from '../../lib/store/lake.ts';
import { lakeOption } from '../options.ts';
import { removeWorkspace } from './remove.ts';
import type { RemovalReport } from './remove.ts';
import type { Affected } from './rewrite.ts';

interface Options {
  lake: StoreLocation;
  workspace: string;
  yes?: true;
  json?: true;
}

export function removeCommand(): Command {
  return new Command('remove')
    .description('remove a customer from the lake: rewrite the objects that have rows of a workspace')
    .addOption(lakeOption())
    .requiredOption('--workspace <id>', 'the workspace', uuidArgument)
    .option('--yes', 'remove it; without it, remove only prints what it would rewrite and delete')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async ({ workspace: workspaceId, yes, json, ...options }: Options) => {
      const isDryRun = yes !== true;
      using bar = progressBar('search, objects');
      const report = await removeWorkspace(
        { lake: await openLake(options.lake), workspaceId, isDryRun },
        {
          clock: systemClock,
          onStart: (objects) => bar.start(objects),
          onObject: () => bar.increment(),
        },
      );
      if (json) process.stdout.write(`${JSON.stringify({ isDryRun, ...jsonOf(report) })}\n`);
      else printReport(report, isDryRun);
    });
}

const HELP = `
Removes the workspace, its brands with their competitors, prompts and runs, its events, and refused lines with one of
their ids. A brand that was ever delivered as another workspace's stays, with its runs. If it is killed, run it again.
First stop the delivery of the workspace: the next drop would bring it back. docs/procedures.md has all steps.`;

function jsonOf({ affected, leftovers }: RemovalReport) {
  const objects = affected.map(({ kind, object: { key, bytes }, removed, isDropped }) => {
    return { kind, key, rows: removed, bytes, isDeleted: isDropped };
  });
  return { objects, leftovers };
}

function printReport({ affected, leftovers }: RemovalReport, isDryRun: boolean): void {
  const { stdout } = process;
  if (affected.length === 0 && leftovers === 0) {
    stdout.write('Nothing to remove: this workspace was removed before.\n');
    return;
  }
  printTable([...Map.groupBy(affected, ({ kind }) => kind)].map(([kind, each]) => rowOf(kind, each)));
  const dropped = affected.filter(({ isDropped }) => isDropped).length;
  const rows = affected.reduce((total, { removed }) => total + removed, 0);
  if (!isDryRun) {
    stdout.write(`Removed ${rows} rows. Deleted ${leftovers} objects.\n`);
    return;
  }
  const left = leftovers === 0 ? '' : ` and ${leftovers} objects that nothing names`;
  stdout.write(
    `Would remove ${rows} rows of the workspace: rewrite ${affected.length - dropped} objects, and delete ${dropped}${left}. To do it, add --yes.\n`,
  );
}

function rowOf(kind: string, affected: readonly Affected[]) {
  return {
    kind,
    objects: affected.length,
    deleted: affected.filter(({ isDropped }) => isDropped).length,
    rows: affected.reduce((sum, { removed }) => sum + removed, 0),
    bytes: affected.reduce((sum, { object }) => sum + object.bytes, 0),
  };
}
