import { Command } from 'commander';
import { allowancesInWords, plansWithApi } from '../../../lib/plans.ts';
import { filled, jsonOption, requestsPerMinute, uuid } from './arguments.ts';
import { note, print, workspaceRow } from './output.ts';
import { withRecords } from './with-records.ts';

interface SetOptions {
  name: string;
  plan: string;
  requestsPerMinute?: number;
  json?: true;
}

export function workspaceCommand(): Command {
  const command = new Command('workspace').description(
    'create, change and list workspaces, with their plans and limits',
  );
  command
    .command('set')
    .description(
      'create or change a workspace, and the records if there are none; applies from the next request',
    )
    .argument('<id>', 'UUID of the workspace', uuid)
    .requiredOption('--name <name>', 'name of the workspace', filled)
    .requiredOption('--plan <plan>', `its plan; ${plansWithApi} include API access`, filled)
    .option(
      '--requests-per-minute <n>',
      `its own limit; without this option the plan decides (${allowancesInWords()})`,
      requestsPerMinute,
    )
    .addOption(jsonOption())
    .action(setWorkspace);
  command.command('list').description('list all workspaces').addOption(jsonOption()).action(listWorkspaces);
  return command;
}

async function setWorkspace(id: string, options: SetOptions): Promise<void> {
  const { name, plan, json } = options;
  await withRecords('create', async (records) => {
    const set = await records.setWorkspace({
      id,
      name,
      plan,
      requestsPerMinute: options.requestsPerMinute ?? null,
    });
    print(set, workspaceRow, json);
    if (!set.includesApi)
      note(`plan "${plan}" does not include API access: every request gets 402 plan_required`);
  });
}

async function listWorkspaces({ json }: { json?: true }): Promise<void> {
  await withRecords('manage', async (records) => {
    const workspaces = await records.listWorkspaces();
    print(workspaces, workspaceRow, json);
    if (workspaces.length === 0) note('no workspaces yet');
  });
}
