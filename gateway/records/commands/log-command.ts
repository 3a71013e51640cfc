import { Command } from 'commander';
import { parseCheckpoint } from '../../../snapshots/log/notes/checkpoint.ts';
import type { TableRow } from '../../../lib/cli.ts';
import type { KeptCheckpoint } from '../records.ts';
import { filled, note, print, withRecords } from './shared.ts';

export function logCommand(): Command {
  const command = new Command('log').description(
    'show and forget the newest checkpoints that gateways have served; they serve nothing that does not continue them',
  );
  command
    .command('show')
    .description('show the checkpoint that is kept of each log')
    .option('--json', 'print JSON')
    .action(showCheckpoints);
  command
    .command('forget')
    .description('forget the checkpoint of a log; running gateways still remember it')
    .argument('<origin>', 'the name of the log: LOG_ORIGIN', filled)
    .option('--json', 'print JSON')
    .addHelpText('after', FORGET_HELP)
    .action(forgetCheckpoint);
  return command;
}

const FORGET_HELP = `
Only needed if gateways have accepted a log that a thief of the signing key wrote, or a store is given up for another one
under the same name. Then restart all gateways: each keeps the next checkpoint that it reads.`;

async function showCheckpoints({ json }: { json?: true }): Promise<void> {
  await withRecords('manage', async (records) => {
    const kept = (await records.listCheckpoints()).map(described);
    print(kept, checkpointRow, json);
    if (kept.length === 0) note('no checkpoint is kept yet');
  });
}

async function forgetCheckpoint(origin: string, { json }: { json?: true }): Promise<void> {
  await withRecords('manage', async (records) => {
    print(described(await records.forgetCheckpoint(origin)), checkpointRow, json);
    note('forgotten; restart the gateways, which still remember it');
  });
}

interface DescribedCheckpoint extends KeptCheckpoint {
  size: number;
  /** The root hash, base64. */
  root: string;
}

function described(kept: KeptCheckpoint): DescribedCheckpoint {
  const { size, root } = parseCheckpoint(Buffer.from(kept.note), `the checkpoint of ${kept.origin}`);
  return { ...kept, size, root: root.toString('base64') };
}

function checkpointRow({ origin, size, root, keptAt }: DescribedCheckpoint): TableRow {
  return { origin, size, root, kept: keptAt };
}
