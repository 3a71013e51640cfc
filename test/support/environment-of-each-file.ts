import { afterAll } from 'vitest';

// A worker runs many files of tests, and each must begin with the same environment (vitest.config.ts runs this).
const before = { ...process.env };

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});
