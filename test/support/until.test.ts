import { expect, test } from 'vitest';
import { until } from './until.ts';

const soon = { withinSeconds: 0.02 };

test('a condition that does not become true is named in the failure', async () => {
  await expect(until(() => false, 'the gateway is ready', soon)).rejects.toThrow(
    'not within 0.02 s: the gateway is ready',
  );
  const isReady = false;
  await expect(until(() => isReady, undefined, soon)).rejects.toThrow('isReady');
});

test('a condition is checked until it is true, and an error of it is thrown', async () => {
  let checks = 0;
  await until(() => ++checks === 3);
  expect(checks).toBe(3);
  await expect(until(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
