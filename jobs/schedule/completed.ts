import { z } from 'zod';
import { decodeJson } from '../../lib/decode.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { newestCyclesOf } from '../weekly/report/metrics.ts';
import type { WeeklyReport } from '../weekly/report/report.ts';

const count = z.number().int().nonnegative();

/** The last scheduled instant whose run was completed, and what it did. */
const completedSchema = z.object({
  format: z.literal(1),
  /** The scheduled instant: the as-of time of the snapshots. */
  due: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  seconds: z.number().nonnegative(),
  host: z.string(),
  workspaces: count,
  brands: count,
  documents: count,
  bytes: count,
  new: count,
  unchanged: count,
  newer: count,
  refused: count,
  orphaned: z.object({ runs: count, prompts: count, competitors: count, brands: count }),
  /** Of the newest week, in percent; null if nothing was expected. */
  complete: z.number().nullable(),
  /** Workspaces whose tracker is silent, and the newest cycle of each workspace; absent from older records. */
  stale: count.default(0),
  newestCycles: z.record(z.string(), z.iso.date()).default({}),
});
export type Completed = z.infer<typeof completedSchema>;

export function completedOf(
  report: WeeklyReport,
  run: Pick<Completed, 'due' | 'finishedAt' | 'seconds' | 'host'>,
): Completed {
  return completedSchema.parse({
    ...report,
    ...run,
    format: 1,
    complete: report.completeness.percent,
    stale: report.completeness.workspaces.filter(({ isStale }) => isStale).length,
    newestCycles: newestCyclesOf(report),
  });
}

export async function readCompleted(store: ObjectStore, key: string): Promise<Completed | null> {
  return (await readStored(store, key))?.completed ?? null;
}

/** Stores the record, unless the stored one is of the same or a later instant. */
export async function recordCompleted(store: ObjectStore, key: string, completed: Completed): Promise<void> {
  const bytes = Buffer.from(`${JSON.stringify(completed)}\n`);
  for (;;) {
    const stored = await readStored(store, key);
    if (stored !== null && Date.parse(stored.completed.due) >= Date.parse(completed.due)) return;
    if (await store.swap(key, bytes, stored?.version ?? null)) return;
  }
}

async function readStored(store: ObjectStore, key: string) {
  const object = await store.get(key);
  if (object === null) return null;
  const completed = decodeJson(object.bytes, completedSchema, `${store.url}/${key}`);
  return { completed, version: object.version };
}
