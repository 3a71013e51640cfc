import { defineConfig } from 'vitest/config';

const rehearsal = 'test/rehearsal/**/*.test.ts';

export default defineConfig({
  test: {
    reporters: ['./test/reporter.ts'],
    // No test waits for a clock; these only end what hangs. Starting an S3 server takes about 12 s.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Half an hour off every whole offset: what depends on the machine's time zone fails here.
    env: { TZ: 'America/St_Johns' },
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [rehearsal],
          // Not 0: where there is one worker, vitest runs that group last.
          sequence: { groupOrder: 1 },
        },
      },
      // After all others, alone: its servers, jobs and clients are a machine's work, and it tells how many errors there are.
      { extends: true, test: { name: 'rehearsal', include: [rehearsal], sequence: { groupOrder: 2 } } },
    ],
  },
});
