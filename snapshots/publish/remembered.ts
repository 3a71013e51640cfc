import { z } from 'zod';
import { decodeJson } from '../../lib/decode.ts';
import type { ObjectStore } from '../../lib/store/store.ts';
import { SNAPSHOT_ID, headKey } from '../layout.ts';

const remembered = z.strictObject({
  sequence: z.number().int().positive(),
  snapshotId: z.string().regex(new RegExp(`^${SNAPSHOT_ID}$`)),
  manifestSha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Remembered = z.infer<typeof remembered>;

/**
 * The newest head of a workspace that the publisher has seen, per store. It is in the lake, so that a program that can
 * write only to the store cannot make the publisher forget a snapshot.
 */
const headsSchema = z.strictObject({
  format: z.literal(1),
  workspaceId: z.string(),
  /** By the URL of the store. */
  stores: z.record(z.string(), remembered),
});

/** The recorded head; null if there is none. @throws Failure if it cannot be read. */
export async function readRemembered(
  heads: ObjectStore | undefined,
  store: ObjectStore,
  workspaceId: string,
): Promise<Remembered | null> {
  return heads === undefined ? null : ((await look(heads, workspaceId)).stores[store.url] ?? null);
}

/**
 * Records a head by compare-and-swap, unless a newer one is recorded already.
 * @param isAdopted true: replaces a newer one too, because the operator chose to continue from an older snapshot
 */
export async function remember(
  heads: ObjectStore | undefined,
  store: ObjectStore,
  workspaceId: string,
  head: Remembered,
  isAdopted: boolean,
): Promise<void> {
  if (heads === undefined) return;
  for (;;) {
    const { stores, version } = await look(heads, workspaceId);
    const before = stores[store.url];
    if (before?.manifestSha256 === head.manifestSha256) return;
    if (before !== undefined && before.sequence >= head.sequence && !isAdopted) return;
    const next = { format: 1, workspaceId, stores: { ...stores, [store.url]: head } };
    const bytes = Buffer.from(`${JSON.stringify(headsSchema.parse(next))}\n`);
    if (await heads.swap(headKey(workspaceId), bytes, version)) return;
  }
}

async function look(heads: ObjectStore, workspaceId: string) {
  const key = headKey(workspaceId);
  const object = await heads.get(key);
  if (object === null) return { stores: {} as Record<string, Remembered>, version: null };
  const { stores } = decodeJson(object.bytes, headsSchema, `${heads.url}/${key}`);
  return { stores, version: object.version };
}
