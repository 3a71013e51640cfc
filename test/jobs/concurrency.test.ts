import { expect, test } from 'vitest';
import { mapConcurrently } from '../../jobs/concurrency.ts';
import { until } from '../support/until.ts';

test('works on no more than the limits of items and bytes at once, on a larger item alone, and returns the results in order', async () => {
  const open = new Map<number, () => void>();
  const work = async (item: number) => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    open.set(item, () => resolve(undefined));
    await promise;
    open.delete(item);
    return item * 10;
  };
  const limits = { limit: 2, bytesOf: (item: number) => item, maxBytes: 8 };
  const all = mapConcurrently([1, 2, 3, 7, 99, 4], work, limits);
  for (const running of [[1, 2], [2, 3], [3], [7], [99], [4]]) {
    await until(() => running.every((item) => open.has(item)));
    expect([...open.keys()]).toEqual(running);
    open.get(running[0]!)!();
    await until(() => !open.has(running[0]!));
  }
  expect(await all).toEqual([10, 20, 30, 70, 990, 40]);
});
