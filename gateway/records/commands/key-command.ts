import { Command } from 'commander';
import { filled, jsonOption, keyPrefix, uuid } from './arguments.ts';
import { PREFIX_LENGTH } from '../../admission/keys.ts';
import { makeKey } from '../management.ts';
import { keyRow, note, print, printJson } from './output.ts';
import { withRecords } from './with-records.ts';

export function keyCommand(): Command {
  const command = new Command('key').description(
    `create, list and revoke API keys; only their hash and first ${PREFIX_LENGTH} characters are stored`,
  );
  command
    .command('create')
    .description('create a key; it is printed once, alone on stdout, and cannot be shown again')
    .argument('<workspace-id>', 'UUID of the workspace', uuid)
    .option('--label <text>', 'what the key is for', filled)
    .addOption(jsonOption())
    .action(createKey);
  command
    .command('list')
    .description('list the keys of a workspace, oldest first, including revoked ones')
    .argument('<workspace-id>', 'UUID of the workspace', uuid)
    .addOption(jsonOption())
    .action(listKeys);
  command
    .command('revoke')
    .description('revoke a key; applies from the next request and cannot be undone')
    .argument('<prefix>', `the first ${PREFIX_LENGTH} characters of the key`, keyPrefix)
    .addOption(jsonOption())
    .action(revokeKey);
  return command;
}

async function createKey(workspaceId: string, options: { label?: string; json?: true }): Promise<void> {
  await withRecords('manage', async (records) => {
    const { key, made } = await makeKey(records, workspaceId, options.label ?? null);
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
