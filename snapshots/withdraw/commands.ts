import { Command, InvalidArgumentError, Option } from 'commander';
import { printTable, printable } from '../../lib/cli.ts';
import type { TableRow } from '../../lib/cli.ts';
import { counted } from '../../lib/weeks/names.ts';
import type { StoreLocation } from '../../lib/config.ts';
import { isDate } from '../../lib/methodology/instant.ts';
import { acceptClockOption, lakeOption, printJson, storeOption, workspaceOption } from '../audit/options.ts';
import { ID_HELP } from '../reading/select.ts';
import { readCheckpoint } from '../log/read.ts';
import { rotateLog } from '../log/write/commit.ts';
import type { CommitParts } from '../log/write/commit.ts';
import { withCommitParts } from '../log/write/parts.ts';
import { readSigner } from '../signing.ts';
import { pruneSnapshots } from './prune.ts';
import type { Keep, PrunedWorkspace } from './prune.ts';
import { withdrawSnapshots } from './withdraw.ts';
import type { WithdrawOptions } from './withdraw.ts';

interface WriteOptions {
  store: StoreLocation;
  lake: StoreLocation;
  acceptClock?: true;
  json?: true;
}

interface PruneCommandOptions extends WriteOptions {
  workspace?: string;
  keep: Keep[];
  yes?: true;
}

export function pruneCommand(): Command {
  return new Command('prune')
    .description(
      'remove the documents of old snapshots on purpose; the log says so, and their manifests stay',
    )
    .addOption(storeOption())
    .addOption(lakeOption())
    .addOption(workspaceOption('default: all'))
    .addOption(acceptClockOption())
    .requiredOption(
      '--keep <N|YYYY-MM-DD...>',
      'keep the snapshots of the N newest weeks, and those that were current at the end of these days',
      readKeep,
    )
    .option('--yes', 'remove them; without it, prune only prints what it would remove')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', PRUNE_HELP)
    .action(prune);
}

const PRUNE_HELP = `
Signs with the key of the job. The current snapshot is always kept. A workspace that does not verify is left out, the
others are pruned, and the exit status is 1: pruning would destroy evidence.`;

async function prune({ keep, ...options }: PruneCommandOptions): Promise<void> {
  const isDryRun = options.yes !== true;
  const workspaces = await withCommitParts(
    options,
    async (parts) => {
      return await pruneSnapshots(parts, { workspaceId: options.workspace, keep, isDryRun });
    },
    options,
  );
  const refused = workspaces.filter(({ refused: reason }) => reason !== null);
  if (refused.length > 0) process.exitCode = 1;
  if (options.json) return printJson({ isDryRun, workspaces });
  printTable(workspaces.flatMap(rowsOf));
  for (const { workspaceId, refused: reason } of refused)
    process.stderr.write(`sightline: workspace ${workspaceId} was not pruned: ${printable(reason!)}\n`);
  const pruned = workspaces.flatMap(({ snapshots }) => snapshots);
  const bytes = pruned.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
  printRemoved(`${counted(pruned.length, 'snapshot')}, ${bytes} bytes`, isDryRun);
}

function rowsOf({ workspaceId: workspace, snapshots, refused }: PrunedWorkspace): TableRow[] {
  if (snapshots.length === 0) {
    const snapshot = refused === null ? 'nothing to remove' : 'left out';
    return [{ workspace, snapshot, 'as of': null, documents: 0, bytes: 0 }];
  }
  return snapshots.map(({ snapshotId, asOf, documents, bytes }) => ({
    workspace,
    snapshot: snapshotId,
    'as of': asOf,
    documents,
    bytes,
  }));
}

function printRemoved(what: string, isDryRun: boolean): void {
  process.stdout.write(isDryRun ? `Would remove ${what}. To do it, add --yes.\n` : `Removed ${what}.\n`);
}

function readKeep(text: string, before: Keep[] | undefined): Keep[] {
  if (/^[1-9]\d{0,5}$/.test(text)) return [...(before ?? []), { newest: Number(text) }];
  if (!isDate(text))
    throw new InvalidArgumentError('expected a number from 1 up, or a date such as 2026-11-16.');
  return [...(before ?? []), { date: text }];
}

interface WithdrawCommandOptions extends WriteOptions {
  workspace: string;
  reason: WithdrawOptions['reason'];
  all?: true;
  allLost?: true;
}

export function withdrawCommand(): Command {
  return new Command('withdraw')
    .description(
      'declare that a published snapshot is lost, was wrong, or is removed: a signed entry of the log',
    )
    .argument('[snapshot]', 'the snapshot')
    .addOption(storeOption())
    .addOption(lakeOption())
    .addOption(workspaceOption('always needed').makeOptionMandatory())
    .addOption(acceptClockOption())
    .addOption(
      new Option('--reason <reason>', 'why').choices(['lost', 'mistaken', 'removed']).makeOptionMandatory(),
    )
    .option('--all', 'every snapshot of the workspace; removed needs it')
    .option('--all-lost', 'every snapshot of the workspace of which something is missing or altered')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', WITHDRAW_HELP)
    .action(async (reference: string | undefined, options: WithdrawCommandOptions, command: Command) => {
      const which = whichOf(reference, options);
      const { reason, workspace } = options;
      if (which === null)
        return command.error('error: name one snapshot, or give --all, or --all-lost with --reason lost');
      if ((reason === 'removed') !== (which === 'all') && (reason === 'removed' || which === 'all'))
        command.error('error: --reason removed and --all belong together: a customer is removed as a whole');
      const withdrawn = await withCommitParts(
        options,
        async (parts) => {
          return await withdrawSnapshots(parts, { workspaceId: workspace, which, reason });
        },
        options,
      );
      if (options.json) return printJson(withdrawn);
      for (const id of withdrawn.snapshotIds) process.stdout.write(`${id}: withdrawn, ${reason}\n`);
      if (withdrawn.snapshotIds.length === 0) process.stdout.write('Nothing to withdraw.\n');
    });
}

const WITHDRAW_HELP = `
lost: nobody can bring it back; refused while it is there. mistaken: it was wrong; the one before it is current again,
and it can still be read in the history. removed: the customer left; all of its objects are deleted. An entry of the
log cannot be taken back, and a withdrawn snapshot is never published again.

${ID_HELP}`;

function whichOf(
  reference: string | undefined,
  { all, allLost, reason }: WithdrawCommandOptions,
): WithdrawOptions['which'] | null {
  const given = [reference, all, allLost].filter((each) => each !== undefined);
  if (given.length !== 1 || (allLost === true && reason !== 'lost')) return null;
  if (reference !== undefined) return { reference };
  return all === true ? 'all' : 'lost';
}

interface RotateOptions extends WriteOptions {
  to: string;
  oldKeyIsLost?: true;
}

export function rotateCommand(): Command {
  return new Command('rotate')
    .description('change the signing key: the log ends with a head that both keys signed')
    .addOption(storeOption())
    .addOption(lakeOption())
    .addOption(acceptClockOption())
    .requiredOption('--to <file>', 'the new private key (PEM); "audit keygen" makes one')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', ROTATE_HELP)
    .option('--old-key-is-lost', 'sign with the new key alone: readers must have its public key already')
    .action(async ({ oldKeyIsLost, ...options }: RotateOptions) => {
      const nextSigner = await readSigner(options.to, '--to');
      const { acceptClock } = options;
      const settings = { acceptClock, signer: oldKeyIsLost ? nextSigner : undefined };
      const rotate = async (parts: CommitParts) => {
        await rotateLog(parts, nextSigner, oldKeyIsLost === true);
        return (await readCheckpoint(parts.store))!;
      };
      const { size } = await withCommitParts(options, rotate, settings);
      if (options.json) return printJson({ size, signer: nextSigner.fingerprint });
      process.stdout.write(
        `The log of ${size} entries is signed with ${oldKeyIsLost ? 'the new key' : 'both keys'}. From now on ${options.to} signs (fingerprint ${nextSigner.fingerprint}): set SIGNING_KEY_FILE to it, and give gateways and auditors its public key.\n`,
      );
    });
}

const ROTATE_HELP = `
Signs with SIGNING_KEY_FILE once more, then only the new key signs. Give gateways the new public key next to the old one
first, then rotate, then take the old one away. Nothing that the old key signs later is believed.`;
