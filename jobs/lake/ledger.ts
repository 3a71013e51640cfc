import { z } from 'zod';
import { Failure, reasonOf } from '../../lib/failure.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { DELIVERIES, deliveryKey, trackingKinds } from './layout.ts';
import type { TrackingKind } from './layout.ts';

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();

const lakeObject = { key: z.string(), sha256: digest, bytes: count, rows: count };
const runsObject = z.object({
  ...lakeObject,
  cycleDate: z.iso.date(),
  /** The earliest and latest `ran_at`, in microseconds since the epoch. */
  ranFrom: z.string(),
  ranTo: z.string(),
});
const trackingObject = z.object({ ...lakeObject, kind: z.enum(trackingKinds) });

/** One ingest: what came, and which objects of the lake hold it. Written last, so that an ingest is all or nothing. */
const deliverySchema = z.object({
  format: z.literal(1),
  number: count,
  receivedAt: z.string(),
  trackingDate: z.iso.date(),
  sources: z.array(
    z.object({
      file: z.string(),
      kind: z.enum([...trackingKinds, 'runs']),
      sha256: digest,
      bytes: count,
      records: count,
      refused: count,
    }),
  ),
  tracking: z.array(trackingObject),
  runs: z.array(runsObject),
  runIds: z.object(lakeObject).nullable(),
  rejects: z.object(lakeObject).nullable(),
});

export type Delivery = z.infer<typeof deliverySchema>;
export type LakeObject = z.infer<z.ZodObject<typeof lakeObject>>;
export type RunsObject = z.infer<typeof runsObject>;

/** All deliveries, oldest first. Their numbers have no gaps: each ingest takes the next one by create-once. */
export async function readLedger(lake: ObjectStore): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for await (const { key } of lake.list(DELIVERIES)) {
    const object = await lake.get(key);
    if (object === null) throw new Failure(`${lake.url}/${key} is missing`);
    try {
      deliveries.push(deliverySchema.parse(JSON.parse(object.bytes.toString('utf8'))));
    } catch (error) {
      throw new Failure(`${lake.url}/${key} cannot be read: ${reasonOf(error)}`, {
        cause: error,
      });
    }
  }
  return deliveries;
}

/** False when another ingest took the number first. */
export async function recordDelivery(lake: ObjectStore, delivery: Delivery): Promise<boolean> {
  const bytes = Buffer.from(`${JSON.stringify(deliverySchema.parse(delivery))}\n`);
  return await lake.create(deliveryKey(delivery.number), bytes);
}

/** The newest state of a tracking kind dated on or before a date; of two deliveries with one date the later. */
export function trackingObjectAt(
  ledger: readonly Delivery[],
  kind: TrackingKind,
  date: string,
): LakeObject | null {
  let newest: { date: string; object: LakeObject } | null = null;
  for (const delivery of ledger) {
    if (delivery.trackingDate > date || (newest !== null && delivery.trackingDate < newest.date)) continue;
    const object = delivery.tracking.find((candidate) => candidate.kind === kind);
    if (object !== undefined) newest = { date: delivery.trackingDate, object };
  }
  return newest?.object ?? null;
}
