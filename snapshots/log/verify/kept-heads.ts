import type { ObjectStore } from '../../../lib/store/store.ts';
import type { Reporter } from '../../verify/findings.ts';
import { KEPT_CHECKPOINTS, keptCheckpointKey, timestampKey } from '../layout.ts';
import { parseCheckpoint } from '../notes/checkpoint.ts';
import type { TreeHead } from '../notes/checkpoint.ts';
import { readCheckpoint } from '../read.ts';
import { stampedAt } from '../timestamps.ts';

const TIMESTAMP = '.tsr';

/**
 * The heads that the log kept, checked as far as possible without its entries. Reports the newest time stamp.
 * @param checkpoint the head that is verified; heads that were added since it was read are left out
 */
export async function keptHeads(
  store: ObjectStore,
  { origin, size }: TreeHead,
  report: Reporter,
): Promise<TreeHead[]> {
  const heads: TreeHead[] = [];
  let stamp: { size: number; at: number } | null = null;
  for await (const { key } of store.list(KEPT_CHECKPOINTS)) {
    const object = await store.get(key.endsWith(TIMESTAMP) ? key.slice(0, -TIMESTAMP.length) : key);
    if (object === null) report.problem('log_damaged', [key], 'the checkpoint of this time stamp is missing');
    if (object === null || key.endsWith(TIMESTAMP)) continue;
    const { bytes } = object;
    const head = parseCheckpoint(bytes, `${store.url}/${key}`);
    const isNamed = head.origin === origin && keptCheckpointKey(head.size) === key;
    // Its signature may be of an older key and is not checked: the current head must continue it.
    if (isNamed) heads.push(head);
    else report.problem('log_damaged', [key], 'this is not the checkpoint that its name says');
    const reply = await store.get(timestampKey(head.size));
    const at = reply === null ? null : stampedAt(reply.bytes, bytes);
    if (reply !== null && at === null)
      report.problem('log_damaged', [timestampKey(head.size)], 'this is not a time stamp of its checkpoint');
    if (at !== null && head.size >= (stamp?.size ?? 0)) stamp = { size: head.size, at };
  }
  if (stamp !== null) {
    const at = new Date(stamp.at).toISOString();
    report.note('time_stamped', [timestampKey(stamp.size)], `${stamp.size} entries existed before ${at}`);
  }
  return await withoutNewer(store, heads, size);
}

/** A checkpoint is kept only after it is public, so a newer one without a newer head means that the head was set back. */
async function withoutNewer(
  store: ObjectStore,
  heads: readonly TreeHead[],
  size: number,
): Promise<TreeHead[]> {
  const newer = heads.filter((head) => head.size > size);
  const now = newer.length === 0 ? null : await readCheckpoint(store);
  const hasGrown = newer.every((head) => head.size <= (now?.size ?? 0));
  return heads.filter((head) => head.size <= size || !hasGrown);
}
