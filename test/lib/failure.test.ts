import { expect, test } from 'vitest';
import { Failure, Unreachable, handleDamage, handleFailure } from '../../lib/failure.ts';
import { once } from '../../lib/once.ts';

test('a failure is handled, as damage only if nothing was out of reach, and a defect is thrown on', async () => {
  const away = new Unreachable('away');
  const errors = [
    new Error('a defect'),
    away,
    new Failure('not done', { cause: away }),
    new Failure('altered'),
  ];
  const handled: string[] = [];
  for (const handle of [handleFailure, handleDamage])
    for (const error of errors) {
      const work = () => {
        throw error;
      };
      await handle(work, ({ message }) => void handled.push(message)).catch(() => undefined);
    }
  expect(handled).toEqual(['away', 'not done', 'altered', 'altered']);
});

test('what is loaded once is loaded again after a failure, and not after a success', async () => {
  let loads = 0;
  const load = once(async () => {
    loads += 1;
    if (loads === 1) throw new Failure('away');
    return loads;
  });
  for (const expected of [{ status: 'rejected' }, { value: 2 }])
    expect(await Promise.allSettled([load(), load()])).toMatchObject([expected, expected]);
});
