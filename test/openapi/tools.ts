import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { describeUnlessMissing } from '../support/requires.ts';
import { until } from '../support/until.ts';

const folder = import.meta.dirname;

/** Loads one of the packages that the OpenAPI file is tested with, or finds a file of it (`resolve`). */
export const requireTool = createRequire(join(folder, 'package.json'));

/**
 * `describe` for tests that need these packages. If they are not installed, the tests are skipped, under a name that
 * says how to install them.
 */
export function describeWithOpenApiTools(name: string, body: () => void): void {
  const isInstalled = existsSync(join(folder, 'node_modules/.package-lock.json'));
  const missing = isInstalled ? [] : ['packages of test/openapi'];
  describeUnlessMissing(missing, 'npm ci --prefix test/openapi', name, body);
}

/** Starts Prism, a third-party validator, and waits until it responds; the caller ends it. */
export async function startPrism(...words: string[]): Promise<{ url: string; child: ChildProcess }> {
  const prism = requireTool.resolve('@stoplight/prism-cli/dist/index.js');
  const port = String(await freePort());
  const child = spawn(process.execPath, [prism, ...words, '--port', port, '--cors', 'false'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = `http://127.0.0.1:${port}`;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`prism does not start: ${output}`);
    return (await fetch(`${url}/api/v1/brands`).catch(() => null)) !== null;
  }, 'Prism serves');
  return { url, child };
}
