import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describeUnlessMissing } from './requires.ts';

const folder = join(import.meta.dirname, '../generated-clients');
/** The packages that the OpenAPI file is tested with: a generator, a mock, a linter. */
export const generatorModules = join(folder, 'node_modules');

/** Loads one of them, or finds a file of it (`resolve`). */
export const requireGenerator = createRequire(join(folder, 'package.json'));

/**
 * `describe` for tests that need these packages. If they are not installed, the tests are skipped, under a name that
 * says how to install them.
 */
export function describeWithGenerators(name: string, body: () => void): void {
  const missing = existsSync(join(generatorModules, '.package-lock.json'))
    ? []
    : ['packages of test/generated-clients'];
  describeUnlessMissing(missing, 'npm ci --prefix test/generated-clients', name, body);
}
