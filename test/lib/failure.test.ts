import { expect, test } from 'vitest';
import { Failure, Unreachable, handleDamage, handleFailure } from '../../lib/failure.ts';

const defect = new Error('a defect');
const away = new Unreachable('away');
const dueToAway = new Failure('not done', { cause: away });
const damage = new Failure('altered');

test.each([
  [handleFailure, [defect], [away, dueToAway, damage]],
  [handleDamage, [defect, away, dueToAway], [damage]],
] as const)('%o throws on what it must not handle', async (handle, thrown, handled) => {
  const outcome = async (error: Error) =>
    await handle<string>(
      () => Promise.reject(error),
      ({ message }) => `handled: ${message}`,
    );
  for (const error of thrown) await expect(outcome(error)).rejects.toBe(error);
  for (const error of handled) expect(await outcome(error)).toBe(`handled: ${error.message}`);
  expect(await handle(() => 'done', String)).toBe('done');
});
