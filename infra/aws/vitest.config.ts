import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/scratch.ts'],
    // Without isolation: loading the library takes seconds, and tests share no state.
    isolate: false,
    // Only for tests that hang: no test waits for time to pass.
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
