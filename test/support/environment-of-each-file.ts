import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// A worker runs many files of tests, and each must begin with the same environment (vitest.config.ts runs this).
const before = { ...process.env };
// What the auditor's commands remember is of one file, and not of the person who runs the tests. They make the folder: a
// file whose tests are all left out would never remove one.
const states = join(tmpdir(), `sightline-states-${randomUUID()}`);
process.env['XDG_STATE_HOME'] = states;

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  rmSync(states, { recursive: true, force: true });
});
