import { join } from 'node:path';

/**
 * The environment of our programs, and of the commands on pages, apart from their settings. `npm run` is
 * test/support/bin/npm. vitest.config.ts sets the folder of the code cache, environment-of-each-file.ts that of states.
 */
export function programEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE = '', XDG_STATE_HOME = '' } = process.env;
  return { PATH: `${join(import.meta.dirname, 'bin')}:${PATH}`, NODE_COMPILE_CACHE, XDG_STATE_HOME };
}
