import { expect, test } from 'vitest';
import { reasonOf } from '../../lib/failure.ts';

test('the reason why no address of a name can be reached names each of them', () => {
  const errors = [new Error('connect ECONNREFUSED 127.0.0.1:1'), new Error('connect ECONNREFUSED ::1:1')];
  expect(reasonOf(new AggregateError(errors))).toBe(errors.map(({ message }) => message).join('; '));
});
