import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { lakeHeadsKey, lakeHistoryKey } from '../../layout.ts';
import { readNamed } from '../../read.ts';
import { decodeHeads, decodeHistory } from '../history.ts';
import type { History } from '../history.ts';
import type { Committed } from './committed.ts';

/** The lake keeps copies of the newest heads and histories, so that a publication reads nothing from the store. */
export async function copiedHeads(
  lake: ObjectStore,
  { checkpoint, heads }: Pick<Committed, 'checkpoint' | 'heads'>,
): Promise<Map<string, string>> {
  const key = lakeHeadsKey(checkpoint.origin, heads);
  return decodeHeads(await readNamed(lake, key, heads, 'the last commit'), `${lake.url}/${key}`);
}

export async function copiedHistory(
  lake: ObjectStore,
  origin: string,
  workspaceId: string,
  hash: string,
): Promise<History> {
  const key = lakeHistoryKey(origin, hash);
  return decodeHistory(await readNamed(lake, key, hash, 'the log'), workspaceId, `${lake.url}/${key}`);
}

/** Drops copies that newer ones replaced. What a reader still needs is in the store. */
export async function dropCopies(
  lake: ObjectStore,
  origin: string,
  histories: Iterable<string>,
  heads: string | null,
): Promise<void> {
  const keys = [...new Set(histories)].map((hash) => lakeHistoryKey(origin, hash));
  if (heads !== null) keys.push(lakeHeadsKey(origin, heads));
  await manyAtOnce(keys, async (key) => await lake.delete(key));
}
