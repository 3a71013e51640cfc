import { openDatabase } from '../../../../jobs/duckdb.ts';
import { RUNS_IN_OBJECT, writeRuns } from '../../../../jobs/ingest/runs/runs.ts';
import { makeTables } from '../../../../jobs/ingest/tables.ts';
import { writeTracking } from '../../../../jobs/ingest/write.ts';
import { trackingKinds } from '../../../../jobs/lake/layout.ts';
import { nextPlace, recordDelivery } from '../../../../jobs/lake/ledger.ts';
import type { TrackingObject } from '../../../../jobs/lake/delivery.ts';
import { runScript } from '../../../../jobs/relations.ts';
import type { ObjectStore } from '../../../../lib/store/store.ts';

export interface Size {
  brands: number;
  prompts: number;
}

/** The size that {@link RUNS_IN_OBJECT} is meant for. With fewer prompts, objects are smaller, and as many. */
const FULL_PROMPTS = 25;

/** Writes a delivery of two cycles into an empty lake. */
export async function makeLake(lake: ObjectStore, size: Size, scratch: string): Promise<void> {
  using database = await openDatabase({ scratch });
  const connection = await database.connect();
  const target = { connection, lake, scratch };
  await makeTables(connection);
  await runScript(connection, import.meta, 'drop', { ...size });
  const tracking: TrackingObject[] = [];
  for (const kind of trackingKinds)
    tracking.push({ kind, ...(await writeTracking(target, kind, '2026-11-01')) });
  await recordDelivery(lake, {
    ...nextPlace([]),
    receivedAt: '2026-11-16T12:00:00.000Z',
    trackingDate: '2026-11-01',
    sources: [],
    tracking,
    ...(await writeRuns(target, [], Math.ceil((RUNS_IN_OBJECT * size.prompts) / FULL_PROMPTS))),
    runIds: null,
    rejects: null,
  });
}
