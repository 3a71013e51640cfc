import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/scratch.ts'],
    // Loading the library takes seconds, and no test changes anything that another one sees.
    isolate: false,
    // No test waits for a clock; these only end what hangs.
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
