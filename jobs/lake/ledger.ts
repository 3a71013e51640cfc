import { decodeJson } from '../../lib/decode.ts';
import { Failure } from '../../lib/failure.ts';
import { compareText } from '../../lib/methodology/text.ts';
import { formats } from '../../lib/store/formats.ts';
import { sha256 } from '../../lib/hash.ts';
import { manyAtOnce } from '../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { DELIVERIES, deliveryKey } from './layout.ts';
import type { TrackingKind } from './layout.ts';
import { deliverySchema } from './delivery.ts';
import type { Delivery, LakeObject, LedgerEntry, TrackingObject } from './delivery.ts';
import { exchangeReplaced } from './removals.ts';

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
