import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { stdoutDestination } from '../../lib/log.ts';
import type { LogStream } from '../../lib/log.ts';

test('for a stalled reader only a limited number of bytes waits, and the last flush times out', async () => {
  const stalled = new PassThrough({ highWaterMark: 1 });
  const destination = stdoutDestination(stalled as unknown as LogStream, 1000);
  for (let n = 0; n < 100; n++) destination.write(`${'x'.repeat(99)}\n`);
  // The stalled stream has 1,100 bytes when the first line is dropped.
  expect(destination.droppedLines()).toBe(89);
  await destination.flush(20);
  stalled.resume();
  await destination.flush(10_000);
  destination.write('written again\n');
  await destination.flush(10_000);
  expect(destination.droppedLines()).toBe(89);
});
