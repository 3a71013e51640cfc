import { z } from 'zod';
import { decodeJson } from '../../lib/decode.ts';
import { Failure } from '../../lib/failure.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { formats } from '../../lib/store/formats.ts';
import { sha256 } from '../../lib/hash.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { DELIVERIES, deliveryKey, trackingKinds } from './layout.ts';
import type { TrackingKind } from './layout.ts';
import { count, digest, provenanceSchema } from './provenance.ts';
import { exchangeReplaced } from './removals.ts';

const lakeObject = z.object({ key: z.string(), sha256: digest, bytes: count, rows: count });
const runsObject = lakeObject.extend({
  cycleDate: z.iso.date(),
  /** The earliest and latest `ran_at`, in microseconds since the epoch. */
  ranFrom: z.string(),
  ranTo: z.string(),
});
const sourceSchema = z.object({
  file: z.string(),
  kind: z.enum([...trackingKinds, 'runs']),
  sha256: digest,
  bytes: count,
  /** Valid ones that were not delivered before. */
  records: count,
  /** Delivered before with the same content. */
  repeated: count,
  refused: count,
  /** False for a tracking file of which nothing is in the lake, but its refused records. */
  isTaken: z.boolean(),
});
const trackingObject = lakeObject.extend({ kind: z.enum(trackingKinds) });

/** What an object of the lake was replaced by. A run object brings its own times. */
const replacementSchema = lakeObject.extend({ ranFrom: z.string().optional(), ranTo: z.string().optional() });
/** The removal of a workspace: the objects that had rows of it, and what earlier deliveries have in their place since. */
const removalSchema = z.object({
  /** Of its id, which the ledger must not name. */
  workspaceSha256: digest,
  replaced: z.array(z.object({ key: z.string(), by: replacementSchema.nullable() })),
});

/** One ingest: what was delivered, and which objects of the lake contain it. Written last: an ingest is all or nothing. */
const deliverySchema = z.object({
  format: z.literal(formats.lake),
  number: count,
  /** The SHA-256 of the previous delivery, null for the first, so that an exchanged delivery is noticed. */
  previous: digest.nullable(),
  receivedAt: z.string(),
  trackingDate: z.iso.date(),
  sources: z.array(sourceSchema),
  tracking: z.array(trackingObject),
  runs: z.array(runsObject),
  /** How many runs of which brand are in each of `runs`; null if no cycle is in several objects. */
  runBrands: lakeObject.nullable().default(null),
  /** Hashes of the ids of `runs`, with their cycles, by which a later ingest finds repeated runs. */
  runIds: lakeObject.nullable(),
  rejects: lakeObject.nullable(),
  /** The origin of a drop that was made from another tool's export. */
  import: provenanceSchema.optional(),
  /** Only of an entry that removed a workspace: it delivers nothing. */
  removal: removalSchema.optional(),
});

export type Delivery = z.infer<typeof deliverySchema>;
export type Source = z.infer<typeof sourceSchema>;
/** A delivery with the SHA-256 of its own text. */
export type LedgerEntry = Delivery & { sha256: string };
export type LakeObject = z.infer<typeof lakeObject>;
export type TrackingObject = z.infer<typeof trackingObject>;
export type RunsObject = z.infer<typeof runsObject>;
export type Replacement = z.infer<typeof replacementSchema>;
export type Removal = z.infer<typeof removalSchema>;

/**
 * All entries, oldest first, with the objects that the lake has now: those that a removal replaced are exchanged.
 * @throws Failure as {@link readRecorded}
 */
export async function readLedger(lake: ObjectStore): Promise<LedgerEntry[]> {
  return exchangeReplaced(await readRecorded(lake));
}

/**
 * All entries as they were recorded, oldest first. Removals have deleted some of the objects that they name.
 * @throws Failure that names a delivery which is missing, cannot be read, or is not the one that was recorded under its
 * number. (If the last ones are missing, it cannot be seen here.)
 */
export async function readRecorded(lake: ObjectStore): Promise<LedgerEntry[]> {
  const keys = (await Array.fromAsync(lake.list(DELIVERIES))).map(({ key }) => key);
  for (const [index, key] of keys.entries()) {
    const expected = deliveryKey(index + 1);
    if (key !== expected)
      throw new Failure(
        `${lake.url}: delivery ${index + 1} is missing (${key} is there instead of ${expected})`,
      );
  }
  const ledger = await manyAtOnce(keys, async (key) => await readDelivery(lake, key));
  for (const [index, { number, previous }] of ledger.entries()) {
    const key = keys[index]!;
    if (number !== index + 1)
      throw new Failure(
        `${lake.url}/${key} is not the delivery that was recorded there, but number ${number}`,
      );
    if (previous !== (ledger[index - 1]?.sha256 ?? null))
      throw new Failure(
        `${lake.url}/${key} does not name the delivery before it: one of the two was exchanged`,
      );
  }
  return ledger;
}

/** The number of entries, by one list: for a look whether there are new ones. */
export async function countDeliveries(lake: ObjectStore): Promise<number> {
  return (await Array.fromAsync(lake.list(DELIVERIES))).length;
}

/** True if a workspace was removed after the ledger was read. */
export async function isRemovedSince(lake: ObjectStore, ledger: readonly LedgerEntry[]): Promise<boolean> {
  if ((await countDeliveries(lake)) === ledger.length) return false;
  return (await readRecorded(lake)).slice(ledger.length).some(({ removal }) => removal !== undefined);
}

async function readDelivery(lake: ObjectStore, key: string): Promise<LedgerEntry> {
  const object = await lake.get(key);
  if (object === null) throw new Failure(`${lake.url}/${key} is missing`);
  const delivery = decodeJson(object.bytes, deliverySchema, `${lake.url}/${key}`);
  return { ...delivery, sha256: sha256(object.bytes) };
}

/** All objects that a delivery names. */
export function objectsOf({ tracking, runs, runBrands, runIds, rejects }: Delivery): LakeObject[] {
  return [...tracking, ...runs, runBrands, runIds, rejects].filter((object) => object !== null);
}

/** The keys of all objects that these deliveries name. */
export function keysIn(ledger: readonly Delivery[]): Set<string> {
  return new Set(ledger.flatMap((delivery) => objectsOf(delivery).map(({ key }) => key)));
}

/** What is tracked: an object of each kind that was ever delivered. */
export type Tracking = Partial<Record<TrackingKind, LakeObject>>;

/** The last object of each kind. */
export function newestOf(objects: readonly TrackingObject[]): Tracking {
  return Object.fromEntries(objects.map((object) => [object.kind, object]));
}

/** The objects of the latest tracking dates; of one date, those that were delivered last. */
export function newestTracking(deliveries: readonly Delivery[]): Tracking {
  const byDate = deliveries.toSorted((a, b) => compareText(a.trackingDate, b.trackingDate));
  return newestOf(byDate.flatMap(({ tracking }) => tracking));
}

/** The number of the next delivery, and its link to the last one. */
export function nextPlace(ledger: readonly LedgerEntry[]): Pick<Delivery, 'format' | 'number' | 'previous'> {
  return { format: formats.lake, number: ledger.length + 1, previous: ledger.at(-1)?.sha256 ?? null };
}

/** Returns false if another ingest took the number first. */
export async function recordDelivery(lake: ObjectStore, delivery: Delivery): Promise<boolean> {
  const bytes = Buffer.from(`${JSON.stringify(deliverySchema.parse(delivery))}\n`);
  return await lake.create(deliveryKey(delivery.number), bytes);
}
