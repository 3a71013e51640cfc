import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ingest } from '../../jobs/ingest/ingest.ts';
import type { IngestReport } from '../../jobs/ingest/report.ts';
import { weekly } from '../../jobs/weekly/weekly.ts';
import type { WeeklyReport } from '../../jobs/weekly/report/report.ts';
import { parseInstant } from '../../lib/methodology/instant.ts';
import { directoryStore } from '../../lib/store/directory/directory.ts';
import { readManifest, readPointer } from '../../snapshots/read.ts';
import type { Delivery } from '../reference/drop.ts';

export interface Reject {
  file: string;
  line: number;
  reason: string;
  record: string;
  record_base64?: string;
}

const clock = { now: () => Date.parse('2026-11-16T06:00:00Z') };

/** Ingests a drop into the lake in a folder. */
export async function deliver(lake: string, { folder, ...options }: Delivery): Promise<IngestReport> {
  return await ingest({ from: folder, lake: directoryStore(lake), ...options }, { clock });
}

/** The lake's rejects file that a report names. */
export async function rejectsOf(lake: string, report: IngestReport): Promise<Reject[]> {
  if (report.rejects === null) return [];
  const text = await readFile(join(lake, report.rejects), 'utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Reject);
}

export interface Publishing {
  shard?: { index: number; count: number };
  threads?: number;
  workspaces?: string[];
  full?: boolean;
}

export async function publish(
  lake: string,
  store: string,
  asOf: string,
  options: Publishing = {},
): Promise<WeeklyReport> {
  const instant = parseInstant(asOf)!;
  return await weekly({
    lake: directoryStore(lake),
    store: directoryStore(store),
    asOf: instant,
    ...options,
  });
}

/** The current documents of a workspace, by their paths in the snapshot. */
export async function documentsOf(store: string, workspaceId: string): Promise<Map<string, Buffer>> {
  const opened = directoryStore(store);
  const pointer = await readPointer(opened, workspaceId);
  if (pointer === null) throw new Error(`nothing was published for ${workspaceId}`);
  const { documents } = await readManifest(opened, workspaceId, pointer);
  const folder = join(store, 'workspaces', workspaceId, 'snapshots', pointer.snapshotId);
  const read = documents.map(async ({ path }): Promise<[string, Buffer]> => [
    path,
    await readFile(join(folder, path)),
  ]);
  return new Map(await Promise.all(read));
}

/** The same in the form of an `expected.json`. */
export async function answersIn(store: string, workspaceId: string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [path, bytes] of await documentsOf(store, workspaceId)) {
    const { data } = JSON.parse(bytes.toString('utf8')) as { data: unknown };
    const [, brandId, kind] = /^brands\/(.*)\/(.*)\.json$/.exec(path) ?? [];
    if (brandId === undefined) answers['brands'] = data;
    else answers[brandId] = { ...(answers[brandId] as object | undefined), [kind!]: data };
  }
  return answers;
}
