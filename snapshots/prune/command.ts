import { Command, InvalidArgumentError } from 'commander';
import { printTable, printable } from '../../lib/cli.ts';
import type { TableRow } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import { isDate } from '../../lib/methodology/instant.ts';
import { configuredSigner } from '../signing.ts';
import { onStore, printJson, trustOf, withAuditOptions } from '../audit/options.ts';
import type { AuditOptions } from '../audit/options.ts';
import { pruneSnapshots } from './prune.ts';
import type { Keep, PrunedWorkspace } from './prune.ts';
import { findUnpublished, removeObjects } from './unpublished.ts';

interface Options extends AuditOptions {
  keep?: Keep[];
  unpublished?: true;
  yes?: true;
}

export function pruneCommand(): Command {
  const command = new Command('prune')
    .description(
      'remove the documents of old snapshots on purpose; their manifests and signed tombstones stay',
    )
    .option(
      '--keep <N|YYYY-MM-DD...>',
      'keep the snapshots of the N newest weeks, and those that were current at the end of these days',
      readKeep,
    )
    .option(
      '--unpublished',
      'remove the leftovers of publications that were killed; run it only while no job runs',
    )
    .option('--yes', 'remove them; without it, prune only prints what it would remove')
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const { keep } = options;
      if ((keep === undefined) === (options.unpublished === undefined))
        command.error('error: give either --keep or --unpublished');
      if (keep === undefined) return await pruneUnpublished(options);
      const isDryRun = options.yes !== true;
      const signer = isDryRun ? undefined : await configuredSigner(readConfig());
      const workspaces = await onStore(options, async (store) => {
        const { workspace: workspaceId } = options;
        const trust = await trustOf(options);
        const now = systemClock.now();
        return await pruneSnapshots(store, { workspaceId, keep, signer, trust, now, isDryRun });
      });
      if (options.json) printJson({ isDryRun, workspaces });
      else printPruned(workspaces, isDryRun);
    });
  return withAuditOptions(command, 'default: all');
}

const HELP = `
Without --workspace, all workspaces are pruned. The current snapshot is always kept. With --yes, signed snapshots need
SIGNING_KEY_FILE, for their tombstones. If a workspace does not verify, nothing is removed anywhere: pruning would
destroy evidence.`;

async function pruneUnpublished(options: Options): Promise<void> {
  const isDryRun = options.yes !== true;
  const objects = await onStore(options, async (store) => {
    const found = await findUnpublished(store, {
      workspaceId: options.workspace,
      trust: await trustOf(options),
    });
    if (!isDryRun) await removeObjects(store, found);
    return found;
  });
  if (options.json) return printJson({ isDryRun, objects });
  for (const key of objects) process.stdout.write(`${printable(key)}\n`);
  const what = objects.length === 1 ? '1 object' : `${objects.length} objects`;
  process.stdout.write(isDryRun ? `Would remove ${what}. To do it, add --yes.\n` : `Removed ${what}.\n`);
}

function printPruned(workspaces: readonly PrunedWorkspace[], isDryRun: boolean): void {
  const pruned = workspaces.flatMap(({ snapshots }) => snapshots);
  printTable(
    workspaces.flatMap(({ workspaceId: workspace, snapshots }): TableRow[] =>
      snapshots.length === 0
        ? [{ workspace, snapshot: 'nothing to remove', 'as of': null, documents: 0, bytes: 0 }]
        : snapshots.map(({ snapshotId, asOf, documents, bytes }) => ({
            workspace,
            snapshot: snapshotId,
            'as of': asOf,
            documents,
            bytes,
          })),
    ),
  );
  const bytes = pruned.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
  const what = `${pruned.length === 1 ? '1 snapshot' : `${pruned.length} snapshots`}, ${bytes} bytes`;
  process.stdout.write(isDryRun ? `Would remove ${what}. To do it, add --yes.\n` : `Removed ${what}.\n`);
}

function readKeep(text: string, before: Keep[] | undefined): Keep[] {
  if (/^[1-9]\d{0,5}$/.test(text)) return [...(before ?? []), { newest: Number(text) }];
  if (!isDate(text))
    throw new InvalidArgumentError('expected a number from 1 up, or a date such as 2026-11-16.');
  return [...(before ?? []), { date: text }];
}
