import { Command } from 'commander';
import { printTable, printable } from '../../lib/cli.ts';
import { listSnapshots } from './list.ts';
import type { Listed } from './list.ts';
import { onStore, printJson, trustOf, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';

export function listCommand(): Command {
  const command = new Command('list')
    .description('show the published snapshots of every workspace, newest first')
    .addHelpText('after', HELP)
    .action(async (options: AuditOptions) => {
      const { snapshots, broken } = await onStore(
        options,
        async (store) =>
          await listSnapshots(store, { workspaceId: options.workspace, trust: await trustOf(options) }),
      );
      if (broken.length > 0) process.exitCode = 1;
      if (options.json) return printJson({ snapshots, broken });
      if (snapshots.length === 0) process.stdout.write('No snapshots.\n');
      printTable(snapshots.map(rowOf));
      for (const { workspaceId, reason } of broken) {
        process.stdout.write(
          `\nWorkspace ${workspaceId} cannot be listed: ${printable(reason)}. Run verify.\n`,
        );
      }
    });
  return withAuditOptions(command, 'default: all');
}

const HELP = `
The column "signed" has the first 8 digits of the key's fingerprint, and what is known about the signature. valid: it
was checked with a trusted key. vouched: the hash chain of the newest snapshot covers this one. unchecked: no public key
was given. foreign, wrong, missing: run verify.`;

function rowOf(snapshot: Listed) {
  const { workspaceId, workspaceName, snapshotId, brands, documents, bytes, signedBy, signature } = snapshot;
  return {
    workspace: workspaceName ?? workspaceId,
    number: snapshot.sequence,
    snapshot: snapshotId,
    'as of': snapshot.asOf,
    'published at': snapshot.publishedAt,
    brands,
    documents,
    bytes,
    signed: signature === null ? 'no' : `${signedBy!.slice(0, 8)} ${signature}`,
    state: snapshot.isCurrent ? 'current' : snapshot.isPruned ? 'pruned' : '',
  };
}
