import { expect, test } from 'vitest';
import { mapConcurrently } from '../../jobs/concurrency.ts';
import { until } from '../support/until.ts';

/** Work that ends when it is told to, and remembers what is under way. */
function controlled() {
  const open = new Map<number, PromiseWithResolvers<number>>();
  const work = async (item: number): Promise<number> => {
    const ended = Promise.withResolvers<number>();
    open.set(item, ended);
    try {
      return await ended.promise;
    } finally {
      open.delete(item);
    }
  };
  const running = () => [...open.keys()];
  return { work, running, end: (item: number) => open.get(item)!.resolve(item * 10), open };
}

test('returns the results in the order of the items, and works on no more than the limit at once', async () => {
  const { work, running, end } = controlled();
  const all = mapConcurrently([1, 2, 3], work, { limit: 2 });
  await until(() => running().length === 2);
  end(2);
  await until(() => running().includes(3));
  expect(running()).toEqual([1, 3]);
  end(3);
  end(1);
  expect(await all).toEqual([10, 20, 30]);
});

test('bounds the bytes that are worked on at once, and lets a larger item through alone', async () => {
  const { work, running, end } = controlled();
  const all = mapConcurrently([3, 4, 99, 1], work, { limit: 9, bytesOf: (item) => item, maxBytes: 8 });
  await until(() => running().length === 2);
  end(3);
  end(4);
  await until(() => running().includes(99));
  expect(running()).toEqual([99]);
  end(99);
  await until(() => running().includes(1));
  end(1);
  expect(await all).toHaveLength(4);
});

test('after an error starts nothing, closes its source, and throws when all that it started has ended', async () => {
  const { work, running, end, open } = controlled();
  const events: string[] = [];
  async function* source() {
    try {
      for (let item = 1; ; item++) yield await Promise.resolve(item);
    } finally {
      events.push('closed');
    }
  }
  const all = mapConcurrently(source(), work, { limit: 3 }).catch((error: unknown) => {
    events.push((error as Error).message);
  });
  await until(() => running().length === 3);
  open.get(1)!.reject(new Error('failed'));
  await until(() => events.length === 1);
  expect(events).toEqual(['closed']);
  expect(running()).toEqual([2, 3]);
  end(2);
  open.get(3)!.reject(new Error('failed later'));
  await all;
  expect(events).toEqual(['closed', 'failed']);
  expect(running()).toEqual([]);
});
