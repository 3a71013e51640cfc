import { expect, test } from 'vitest';
import { once } from '../../lib/once.ts';

test('concurrent callers share one load', async () => {
  let loads = 0;
  const load = once(async () => ++loads);
  expect(await Promise.all([load(), load()])).toEqual([1, 1]);
  expect(await load()).toBe(1);
});

test('a failure is not cached', async () => {
  let loads = 0;
  const load = once(async () => {
    if (++loads === 1) throw new Error('EMFILE');
    return loads;
  });
  await expect(load()).rejects.toThrow('EMFILE');
  expect([await load(), await load()]).toEqual([2, 2]);
});
