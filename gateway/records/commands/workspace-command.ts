import { Command, InvalidArgumentError } from 'commander';
import { uuidArgument } from '../../../lib/cli.ts';
import type { TableRow } from '../../../lib/cli.ts';
import { allowancesInWords, plansWithApi } from '../../../lib/plans.ts';
import { MOST_REQUESTS_PER_MINUTE } from '../records.ts';
import type { WorkspaceRecord } from '../records.ts';
import { filled, note, print, withRecords } from './shared.ts';

interface SetOptions {
  name?: string;
  plan?: string;
  requestsPerMinute?: number | 'plan';
  json?: true;
}

export function workspaceCommand(): Command {
  const command = new Command('workspace').description(
    'create, change and list workspaces, with their plans and limits',
  );
  command
    .command('set')
    .description(
      'create or change a workspace, and the records if there are none; an absent option keeps what is set; applies from the next request',
    )
    .argument('<id>', 'UUID of the workspace', uuidArgument)
    .option('--name <name>', 'name of the workspace; a new one needs it', filled)
    .option('--plan <plan>', `its plan; ${plansWithApi} include API access; a new one needs it`, filled)
    .option(
      '--requests-per-minute <n|plan>',
      `its own limit, or "plan": the plan decides, as for a new workspace (${allowancesInWords()})`,
      allowance,
    )
    .option('--json', 'print JSON')
    .action(setWorkspace);
  command
    .command('list')
    .description('list all workspaces')
    .option('--json', 'print JSON')
    .action(listWorkspaces);
  return command;
}

async function setWorkspace(id: string, options: SetOptions): Promise<void> {
  const { name, plan, requestsPerMinute: given, json } = options;
  const requestsPerMinute = given === 'plan' ? null : given;
  const mayCreate = name !== undefined && plan !== undefined;
  await withRecords(mayCreate ? 'create' : 'manage', async (records) => {
    const set = await records.setWorkspace({ id, name, plan, requestsPerMinute });
    print(set, workspaceRow, json);
    if (!set.includesApi)
      note(`plan "${set.plan}" does not include API access: every request gets 402 plan_required`);
  });
}

async function listWorkspaces({ json }: { json?: true }): Promise<void> {
  await withRecords('manage', async (records) => {
    const workspaces = await records.listWorkspaces();
    print(workspaces, workspaceRow, json);
    if (workspaces.length === 0) note('no workspaces yet');
  });
}

/** Requests per minute, or `plan`: the plan decides. */
function allowance(text: string): number | 'plan' {
  if (text === 'plan') return text;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MOST_REQUESTS_PER_MINUTE) {
    throw new InvalidArgumentError(`expected a whole number from 1 to ${MOST_REQUESTS_PER_MINUTE}, or plan.`);
  }
  return value;
}

function workspaceRow(record: WorkspaceRecord): TableRow {
  return {
    id: record.id,
    name: record.name,
    plan: record.plan,
    'API access': record.includesApi ? 'yes' : 'no',
    'requests per minute': record.requestsPerMinute,
    'active keys': record.activeKeys,
  };
}
