import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { directoryStore } from '../../../lib/store/directory/directory.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import type { AppendOptions, WorkspaceHistory } from '../../../snapshots/log/append.ts';
import type { Findings } from '../../../snapshots/verify/findings.ts';
import type { LogEntry } from '../../../snapshots/log/entries.ts';
import { readCheckpoint } from '../../../snapshots/log/read.ts';
import { verifyLog } from '../../../snapshots/log/verify/verify-log.ts';
import type { VerifyLogOptions } from '../../../snapshots/log/verify/verify-log.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { makeTestKeys } from '../history.ts';
import type { Keys } from '../history.ts';

export const ORIGIN = 'sightline.example/log';

export function workspaceId(number: number): string {
  return `0b5ef0a4-3a6e-4f0f-9c57-${String(number).padStart(12, '0')}`;
}

/** Snapshot `sequence` of a workspace; another `variant` is another manifest. */
export function entryOf(workspace: number, sequence: number, variant = ''): LogEntry {
  const publishedAt = new Date(Date.UTC(2026, 0, 5, 6) + (sequence - 1) * 7 * 86_400_000).toISOString();
  const manifestSha256 = createHash('sha256').update(`${workspace} ${sequence} ${variant}`).digest('hex');
  const snapshotId = `${publishedAt.replaceAll(/[-:]/g, '')}-${manifestSha256.slice(0, 16)}`;
  return { workspaceId: workspaceId(workspace), sequence, snapshotId, manifestSha256, publishedAt };
}

export function snapshotsOf(workspace: number, weeks: number): LogEntry[] {
  return Array.from({ length: weeks }, (_, week) => entryOf(workspace, week + 1));
}

/** Workspaces 0, 1, 2 …, each with its number of weeks. */
export async function* histories(weeks: readonly number[]): AsyncGenerator<WorkspaceHistory> {
  for (const [workspace, count] of weeks.entries())
    yield { workspaceId: workspaceId(workspace), snapshots: snapshotsOf(workspace, count) };
}

export function publishedOf(weeks: readonly number[]): Map<string, LogEntry[]> {
  return new Map(
    weeks.map((count, workspace) => [workspaceId(workspace), snapshotsOf(workspace, count)] as const),
  );
}

export interface Place {
  folder: string;
  store: ObjectStore;
  lake: ObjectStore;
  keys: Keys;
  /** The options of an append of these histories. */
  appending: (weeks: readonly number[]) => AppendOptions;
}

export async function makePlace(): Promise<Place> {
  const folder = await temporaryFolder();
  const keys = await makeTestKeys(folder, 'log');
  const store = directoryStore(join(folder, 'store'));
  const lake = directoryStore(join(folder, 'lake'));
  const appending = (weeks: readonly number[]) => ({
    store,
    lake,
    origin: ORIGIN,
    signer: keys.signer,
    trust: keys.trust,
    histories: () => histories(weeks),
  });
  return { folder, store, lake, keys, appending };
}

/** The findings of verify about a store's log. */
export async function verifiedLog(store: ObjectStore, options: VerifyLogOptions) {
  const findings: Findings = { problems: [], notes: [] };
  const entries = await verifyLog(store, await readCheckpoint(store), options, findings);
  return { ...findings, entries };
}
