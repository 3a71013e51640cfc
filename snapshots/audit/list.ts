import { Command } from 'commander';
import { printTable, printable } from '../../lib/cli.ts';
import { Failure, handleFailure } from '../../lib/failure.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import { readHistory } from '../log/follow.ts';
import { asOf, currentOf } from '../log/history.ts';
import type { Publication } from '../log/history.ts';
import { readManifest } from '../read.ts';
import { onLog, printJson, withAuditOptions } from './options.ts';
import type { AuditOptions } from './options.ts';
import type { LoggedStore } from '../reading/select.ts';

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
      if (snapshots.length + broken.length === 0) process.stdout.write('No snapshots.\n');
      printTable(snapshots.map(rowOf));
      for (const { workspaceId, reason } of broken)
        process.stdout.write(
          `\nWorkspace ${workspaceId} cannot be listed: ${printable(reason)}. Run verify.\n`,
        );
    });
  return withAuditOptions(command, 'default: all');
}

function rowOf({ workspaceId, workspaceName, isCurrent, withdrawn, ...snapshot }: Listed) {
  return {
    workspace: workspaceName ?? workspaceId,
    number: snapshot.sequence,
    snapshot: snapshot.snapshotId,
    'as of': snapshot.asOf,
    'published at': snapshot.publishedAt,
    brands: snapshot.brands,
    documents: snapshot.documents,
    bytes: snapshot.bytes,
    state: isCurrent ? 'current' : (withdrawn?.reason ?? ''),
  };
}

export interface Listed extends Publication {
  workspaceId: string;
  /** In the current snapshot; null if there is none, or it cannot be read. */
  workspaceName: string | null;
  asOf: string;
  isCurrent: boolean;
}

/** `broken`: the workspaces whose history cannot be read. */
export interface SnapshotList {
  snapshots: Listed[];
  broken: { workspaceId: string; reason: string }[];
}

/** Every publication of one workspace, or of all, newest first. Two reads per workspace. */
export async function listSnapshots(
  { store, log }: LoggedStore,
  workspaceId?: string,
): Promise<SnapshotList> {
  const broken: SnapshotList['broken'] = [];
  const lists = await manyAtOnce(
    workspaceId === undefined ? [...log.heads.keys()].toSorted() : [workspaceId],
    async (id) =>
      await handleFailure(
        async () => await listWorkspace({ store, log }, id),
        ({ message }) => {
          broken.push({ workspaceId: id, reason: message });
          return [];
        },
      ),
  );
  return { snapshots: lists.flat(), broken };
}

async function listWorkspace({ store, log }: LoggedStore, workspaceId: string): Promise<Listed[]> {
  const history = await readHistory(store, log, workspaceId);
  if (history === null) throw new Failure('the log has no snapshot of it');
  const current = currentOf(history);
  const manifest = current && (await readManifest(store, workspaceId, current).catch(() => null));
  const workspaceName = manifest?.workspaceName ?? null;
  return history.publications
    .map((each) => ({ ...each, workspaceId, workspaceName, asOf: asOf(each), isCurrent: each === current }))
    .toReversed();
}
