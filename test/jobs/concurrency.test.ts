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
  const limits = { limit: 2, bytesOf: (item: number) => item, maxBytes: 5 };
  const all = mapConcurrently([1, 2, 3, 7, 99, 4], work, limits);
  for (const running of [[1, 2], [2, 3], [3], [7], [99], [4]]) {
    await until(() => running.every((item) => open.has(item)));
    expect([...open.keys()]).toEqual(running);
    open.get(running[0]!)!();
    await until(() => !open.has(running[0]!));
  }
  expect(await all).toEqual([10, 20, 30, 70, 990, 40]);
});

test('after an error nothing is started, and the error comes only when all that was started has ended', async () => {
  const events: string[] = [];
  const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const work = async (item: number) => {
    events.push(`start ${item}`);
    await (item === 1 ? first : second).promise;
  };
  const all = mapConcurrently([1, 2, 3], work, { limit: 2 }).catch((error: unknown) =>
    events.push(String(error)),
  );
  await until(() => events.length === 2);
  second.reject(new Error('no disk'));
  await new Promise(setImmediate);
  events.push('end 1');
  first.resolve(undefined);
  await all;
  expect(events).toEqual(['start 1', 'start 2', 'end 1', 'Error: no disk']);
});
