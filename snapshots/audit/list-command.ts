import { Command } from 'commander';
import { printTable, printable } from '../../lib/cli.ts';
import { listSnapshots } from './list.ts';
import type { Listed } from './list.ts';
import { onLog, printJson, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';

export function listCommand(): Command {
  const command = new Command('list')
    .description('show the published snapshots of every workspace, newest first')
    .action(async (options: AuditOptions) => {
      const { snapshots, broken } = await onLog(
        options,
        async (logged) => await listSnapshots(logged, options.workspace),
      );
      if (broken.length > 0) process.exitCode = 1;
      if (options.json) return printJson({ snapshots, broken });
      if (snapshots.length === 0) process.stdout.write('No snapshots.\n');
      printTable(snapshots.map(rowOf));
      for (const { workspaceId, reason } of broken)
        process.stdout.write(
          `\nWorkspace ${workspaceId} cannot be listed: ${printable(reason)}. Run verify.\n`,
        );
    });
  return withAuditOptions(command, 'default: all');
}

function rowOf(snapshot: Listed) {
  const {
    workspaceId,
    workspaceName,
    sequence,
    snapshotId,
    publishedAt,
    brands,
    documents,
    bytes,
    withdrawn,
  } = snapshot;
  return {
    workspace: workspaceName ?? workspaceId,
    number: sequence,
    snapshot: snapshotId,
    'as of': snapshot.asOf,
    'published at': publishedAt,
    brands,
    documents,
    bytes,
    state: snapshot.isCurrent ? 'current' : (withdrawn?.reason ?? ''),
  };
}
