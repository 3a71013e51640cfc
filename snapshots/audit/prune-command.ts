import { Command, InvalidArgumentError } from 'commander';
import { printTable } from '../../lib/cli.ts';
import { systemClock } from '../../lib/clock.ts';
import { readConfig } from '../../lib/config.ts';
import { isDate } from '../../lib/instant.ts';
import { readSigner } from '../../lib/signing.ts';
import { onStore, printJson, trustOf, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';
import { pruneSnapshots } from './prune.ts';
import type { Keep } from './prune.ts';

interface Options extends AuditOptions {
  keep: Keep[];
  yes?: true;
}

export function pruneCommand(): Command {
  const command = new Command('prune')
    .description(
      'remove the documents of old snapshots on purpose; their manifests and signed tombstones stay',
    )
    .requiredOption(
      '--keep <N|YYYY-MM-DD...>',
      'the N newest, and those that were current on these days',
      readKeep,
    )
    .option('--yes', 'do it; without, it only shows what would be removed')
    .addHelpText('after', HELP)
    .action(async (options: Options) => {
      const { SIGNING_KEY_FILE } = readConfig();
      const signer = SIGNING_KEY_FILE === undefined ? undefined : await readSigner(SIGNING_KEY_FILE);
      const isDryRun = options.yes !== true;
      const pruned = await onStore(options, async (store) => {
        const { workspace: workspaceId, keep } = options;
        const trust = await trustOf(options);
        return await pruneSnapshots(store, {
          workspaceId,
          keep,
          signer,
          trust,
          now: systemClock.now(),
          isDryRun,
        });
      });
      if (options.json) return printJson({ isDryRun, pruned });
      printTable(pruned.map(({ workspaceId, ...rest }) => ({ workspace: workspaceId, ...rest })));
      const bytes = pruned.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
      const what = `${pruned.length === 1 ? '1 snapshot' : `${pruned.length} snapshots`}, ${bytes} bytes`;
      process.stdout.write(isDryRun ? `Would remove ${what}. To do it, add --yes.\n` : `Removed ${what}.\n`);
    });
  return withAuditOptions(command);
}

const HELP = `
The current snapshot always stays. Signed snapshots need SIGNING_KEY_FILE, for their tombstones. A workspace that does
not verify is left alone: pruning would destroy the evidence.`;

function readKeep(text: string, before: Keep[] | undefined): Keep[] {
  if (/^[1-9]\d{0,5}$/.test(text)) return [...(before ?? []), { newest: Number(text) }];
  if (!isDate(text))
    throw new InvalidArgumentError('expected a number from 1 up, or a date such as 2026-11-16.');
  return [...(before ?? []), { date: text }];
}
