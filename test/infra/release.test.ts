import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../docs/pages.ts';
import { temporaryFolders } from '../support/folder.ts';
import { makeRelease, packedIn, sharedRelease } from './release.ts';

const newFolder = temporaryFolders();
const run = promisify(execFile);
const MINUTES_OF_NPM = 15 * 60_000;

/** newcomer.ts installs it on a machine. */
describe('npm run release', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await sharedRelease();
  }, MINUTES_OF_NPM);

  test(
    'makes the same bytes again, and a sum of them to check',
    async () => {
      const second = await newFolder();
      await makeRelease(second);
      const [sum, again] = [folder, second].map((each) => readFile(`${packedIn(each)}.sha256`, 'utf8'));
      expect(await again).toBe(await sum);
      await run('sha256sum', ['--check', `${packedIn(second)}.sha256`], { cwd: second });
    },
    MINUTES_OF_NPM,
  );

  test('packs what runs in production, owned by root, and nothing of tests or builds', async () => {
    const { stdout } = await run(
      'tar',
      ['--list', '--verbose', '--numeric-owner', '--file', packedIn(folder)],
      {
        maxBuffer: 1 << 26,
      },
    );
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => !/^[-dl]r..r.[-x]r.[-x] 0\/0 |^l/.test(line))).toEqual([]);
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    const paths = lines.map((line) => line.replace(/ -> .*/, '').split(` sightline-${version}/`)[1] ?? '');
    expect(paths).toEqual(
      expect.arrayContaining([
        'gateway/explore/page.js',
        'infra/install',
        'infra/nginx/sightline.conf',
        'docs/first-monday.md',
        'node_modules/.bin/node',
        'node_modules/fastify/package.json',
      ]),
    );
    const tools =
      /^(?:test\/|clients\/(?!google\/|$))|^node_modules\/(?:vitest|typescript|prettier|oxlint|esbuild)\/|\/\.cache\//;
    expect(paths.filter((path) => tools.test(path))).toEqual([]);
  });
});
