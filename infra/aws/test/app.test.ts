import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { AUTHORITY, PUBLIC_KEY, example } from './deployed.ts';

const home = join(import.meta.dirname, '..');

/** Runs the CDK CLI in a folder with these files. */
async function cdk(files: Record<string, string>, ...args: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'cdk-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const app = ['--app', `node ${join(home, 'app.ts')}`, '--no-notices', '--no-version-reporting'];
  const run = promisify(execFile)(join(home, 'node_modules/.bin/cdk'), [...args, ...app], { cwd: folder });
  const ended = await run.then(
    ({ stdout, stderr }) => ({ status: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
      status: code,
      text: stdout + stderr,
    }),
  );
  return { ...ended, folder };
}

test('the installed CLI synthesises the example, and --context overrides the tag', async () => {
  const files = {
    'cdk.context.json': JSON.stringify({ sightline: example }),
    'eu-central-1-bundle.pem': AUTHORITY,
    'sightline.public.pem': PUBLIC_KEY,
  };
  const { status, text, folder } = await cdk(files, 'synth', '--quiet', '--context', 'tag=1.2.3');
  expect({ status, text }).toMatchObject({ status: 0 });
  const made = await readdir(join(folder, 'cdk.out'));
  expect(made.filter((name) => name.endsWith('.template.json'))).toHaveLength(9);
  expect(await readFile(join(folder, 'cdk.out/Gateway.template.json'), 'utf8')).toContain('/sightline:1.2.3');
});

test('missing parameters are reported in one line', async () => {
  const { status, text } = await cdk({}, 'synth', '--quiet');
  expect(status).not.toBe(0);
  expect(text).toContain('sightline: no deployment: write cdk.context.json');
  expect(text).not.toContain('at readParameters');
});
