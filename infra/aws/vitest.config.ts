import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Loading the library and synthesising takes seconds; these only end what hangs.
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
