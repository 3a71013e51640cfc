import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['./test/reporter.ts'],
    // No test waits for a clock; these only end what hangs. Starting an S3 server takes about 12 s.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Half an hour off every whole offset: what depends on the machine's time zone fails here.
    env: { TZ: 'America/St_Johns' },
  },
});
