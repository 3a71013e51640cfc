import { Command, InvalidArgumentError } from 'commander';
import { uuidArgument } from '../../../lib/cli.ts';
import type { TableRow } from '../../../lib/cli.ts';
import { isKeyPrefix, PREFIX_LENGTH } from '../../records/keys.ts';
import type { KeyRecord } from '../records.ts';
import { filled, note, print, printJson, withRecords } from './shared.ts';

export function keyCommand(): Command {
  const command = new Command('key').description(
    `create, list and revoke API keys; only their hash and first ${PREFIX_LENGTH} characters are stored`,
  );
  command
    .command('create')
    .description('create a key; it is printed once, alone on stdout, and cannot be shown again')
    .argument('<workspace-id>', 'UUID of the workspace', uuidArgument)
    .option('--label <text>', 'what the key is for', filled)
    .option('--json', 'print JSON')
    .action(createKey);
  command
    .command('list')
    .description('list the keys of a workspace, oldest first, including revoked ones')
    .argument('<workspace-id>', 'UUID of the workspace', uuidArgument)
    .option('--json', 'print JSON')
    .action(listKeys);
  command
    .command('revoke')
    .description('revoke a key; applies from the next request and cannot be undone')
    .argument('<prefix>', `the first ${PREFIX_LENGTH} characters of the key`, keyPrefix)
    .option('--json', 'print JSON')
    .action(revokeKey);
  return command;
}

async function createKey(workspaceId: string, options: { label?: string; json?: true }): Promise<void> {
  await withRecords('manage', async (records) => {
    const { key, made } = await records.makeKey(workspaceId, options.label ?? null);
    if (options.json) printJson({ key, ...made });
    else process.stdout.write(`${key}\n`);
    note(`key ${made.prefix} of workspace ${workspaceId}: keep it now, only its hash is stored`);
  });
}

async function listKeys(workspaceId: string, { json }: { json?: true }): Promise<void> {
  await withRecords('manage', async (records) => {
    const keys = await records.listKeys(workspaceId);
    print(keys, keyRow, json);
    if (keys.length === 0) note('no keys yet');
  });
}

async function revokeKey(prefix: string, { json }: { json?: true }): Promise<void> {
  await withRecords('manage', async (records) => print(await records.revokeKey(prefix), keyRow, json));
}

function keyPrefix(text: string): string {
  if (isKeyPrefix(text)) return text;
  throw new InvalidArgumentError(
    `expected the first ${PREFIX_LENGTH} characters of a key: vis_ and ${PREFIX_LENGTH - 4} more.`,
  );
}

function keyRow(record: KeyRecord): TableRow {
  return {
    prefix: record.prefix,
    label: record.label,
    created: record.createdAt,
    'last used': record.lastUsedAt,
    revoked: record.revokedAt,
  };
}
