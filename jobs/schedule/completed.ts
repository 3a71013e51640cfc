import { z } from 'zod';
import type { ObjectStore } from '../../lib/store/store.ts';
import { completedKey } from '../../snapshots/layout.ts';
import { runEndSchema, weeklyReportSchema } from '../weekly/report/report.ts';

/** The last scheduled run that published every workspace. */
const completedSchema = z.object({ format: z.literal(2), end: runEndSchema, report: weeklyReportSchema });
export type CompletedRun = Omit<z.infer<typeof completedSchema>, 'format'>;

/** Null if there is none, or none that this version reads: then the week is computed again, which changes nothing. */
export async function readCompleted(lake: ObjectStore, scope: string): Promise<CompletedRun | null> {
  const object = await lake.get(completedKey(scope));
  if (object === null) return null;
  try {
    return completedSchema.parse(JSON.parse(object.bytes.toString()));
  } catch {
    return null;
  }
}

/** Only the scheduler that has the lease may call it. */
export async function recordCompleted(lake: ObjectStore, scope: string, { end, report }: CompletedRun) {
  // The lists of the report that metrics do not need can be long.
  const short = { ...report, snapshots: [], completeness: { ...report.completeness, missing: [] } };
  const bytes = Buffer.from(`${JSON.stringify({ format: 2, end, report: short })}\n`);
  const stored = await lake.get(completedKey(scope));
  await lake.swap(completedKey(scope), bytes, stored?.version ?? null);
}
