import { z } from 'zod';
import { formats } from '../../lib/store/formats.ts';
import { OBJECTS, trackingKinds } from './layout.ts';
import { count, digest, provenanceSchema } from './provenance.ts';

/** The key of an object that deliveries name. With `..` in it, a job would copy an object of a bucket to a file elsewhere. */
export const objectKey = z
  .string()
  .regex(
    new RegExp(String.raw`^(?:${OBJECTS.join('|')})(?:[\w=-]+/)*[\w-]+\.\w+$`),
    'expected the key of an object of a lake',
  );
const lakeObject = z.object({ key: objectKey, sha256: digest, bytes: count, rows: count });
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
  replaced: z.array(z.object({ key: objectKey, by: replacementSchema.nullable() })),
});

/** One ingest: what was delivered, and which objects of the lake contain it. Written last: an ingest is all or nothing. */
export const deliverySchema = z.object({
  format: z.literal(formats.lake),
  number: count,
  /** The SHA-256 of the previous delivery, null for the first, so that an exchanged delivery is noticed. */
  previous: digest.nullable(),
  receivedAt: z.string(),
  trackingDate: z.iso.date(),
  sources: z.array(sourceSchema),
  tracking: z.array(trackingObject),
  runs: z.array(runsObject),
  /** Which brands each of `runs` has, and how many runs of each; null if there are no runs. */
  runBrands: lakeObject.nullable(),
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
