import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters as plain } from 'node:util';
import { expect, test } from 'vitest';
import { textOf } from '../house/files.ts';
import { describeUnlessMissing } from '../support/requires.ts';

const FOLDER = 'infra/aws';
const folder = join(import.meta.dirname, '../..', FOLDER);
const missing = existsSync(join(folder, 'node_modules/aws-cdk-lib')) ? [] : [`${FOLDER}/node_modules`];

/** Ours, without what Vitest puts in for its own processes: the package's tests run in a Vitest of their own. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV|TEST$|TZ$)/.test(name)),
);

describeUnlessMissing(missing, `npm ci --prefix ${FOLDER}`, 'the stacks of AWS', () => {
  // About half a minute alone, several times that next to other tests.
  test('hold: lint, types, the security rules, and their tests', async () => {
    const run = promisify(execFile)('npm', ['run', '--silent', 'check'], { cwd: folder, env: environment });
    const { status, text } = await run.then(
      ({ stdout }) => ({ status: 0, text: plain(stdout) }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        status: code,
        text: plain(stdout + stderr),
      }),
    );
    expect({ status, text }).toEqual({
      status: 0,
      text: expect.stringMatching(/Tests +[1-9]\d* passed \(/) as string,
    });
  });
});

test('its package-lock.json names no download addresses', () => {
  const lock = textOf(`${FOLDER}/package-lock.json`);
  expect(lock).toContain('node_modules/aws-cdk-lib');
  expect(lock).not.toMatch(/"resolved": "http/);
});
