import { orNull } from '../../../lib/failure.ts';
import { manyAtOnce } from '../../../lib/store/many-at-once.ts';
import type { ObjectStore } from '../../../lib/store/store.ts';
import { STAMPS, stampedHeadKey } from '../../layout.ts';
import { keysBelow } from '../../read.ts';
import { checkpointText, parseCheckpoint } from '../notes/checkpoint.ts';
import type { Committed } from '../write/committed.ts';
import { writeExactly } from '../write/create-exactly.ts';
import type { Written } from '../write/create-exactly.ts';
import { rootAt } from '../write/shown.ts';

/**
 * Writes again the heads that time stamps are over, and deletes copies of checkpoints that are not of this log: nobody
 * else can sign them again.
 */
export async function repairStamps(
  store: ObjectStore,
  lake: ObjectStore,
  committed: Committed,
): Promise<Written[]> {
  const bySize = Map.groupBy(await keysBelow(store, STAMPS), (key) =>
    Number(/^log\/stamps\/(\d{1,15})\//.exec(key)?.[1] ?? 0),
  );
  const repaired = await manyAtOnce(bySize, async ([size, stamps]) => {
    const { origin } = committed.checkpoint;
    const isOfLog = size > 0 && size <= committed.checkpoint.size;
    const text = isOfLog ? checkpointText({ origin, size, root: await rootAt(lake, committed, size) }) : '';
    const written: Written[] = [];
    if (isOfLog && stamps.some((key) => key.endsWith('.tsr')))
      written.push(...(await writeExactly(store, [{ key: stampedHeadKey(size), bytes: Buffer.from(text) }])));
    for (const key of stamps.filter((each) => !each.endsWith('.tsr') && each !== stampedHeadKey(size))) {
      const copy = await store.get(key);
      if (copy !== null && orNull(() => parseCheckpoint(copy.bytes, key).note.text) === text) continue;
      await store.delete(key);
      written.push({ key, was: 'superseded' });
    }
    return written;
  });
  return repaired.flat();
}
