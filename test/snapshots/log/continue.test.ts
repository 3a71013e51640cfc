import { expect, test } from 'vitest';
import { mustContinue, readLog } from '../../../snapshots/log/follow.ts';
import { tileReader } from '../../../snapshots/log/read.ts';
import { newSigner, placeOf, publishAll } from './places.ts';

test('a kept checkpoint is continued by every later one, and by no other log', async () => {
  const place = placeOf(await newSigner());
  const kept = [];
  for (const [week, count] of [3, 260, 1, 300].entries()) {
    await publishAll(
      place,
      week,
      Array.from({ length: count }, (_, number) => number),
    );
    kept.push((await readLog(place.store, place))!.checkpoint);
  }
  const found = kept.at(-1)!;
  const tiles = tileReader(place.store);
  for (const head of kept) await mustContinue(head, found, tiles, 'it');
  await expect(mustContinue(found, kept[1]!, tiles, 'it')).rejects.toThrow(/^it has \d+ entries, and had/);
  const forked = { ...kept[1]!, root: kept[0]!.root };
  await expect(mustContinue(forked, found, tiles, 'it')).rejects.toThrow(
    /^it does not continue the \d+ entries/,
  );
  await expect(mustContinue({ ...found, root: forked.root }, found, tiles, 'it')).rejects.toThrow(
    /rewritten/,
  );
  await expect(mustContinue({ ...found, origin: 'other' }, found, tiles, 'it')).rejects.toThrow(
    /was of other before/,
  );
  for (const key of [...place.objects.store.keys()].filter((each) => each.startsWith('log/tile/0/')))
    place.objects.store.set(key, Buffer.alloc(place.objects.store.get(key)!.length));
  await expect(mustContinue(kept[1]!, found, tiles, 'it')).rejects.toThrow(/does not continue/);
});
